import { describe, expect, it } from "vitest";
import { digest, type Ledger, type NewEvent } from "../../src/ledger/index.ts";
import { approve, ARGS, ask, at, AT, tell } from "./events.ts";

const by = { kind: "user", id: "ann" } as const;
const nothing = { mode: null, mode_seq: 0, rejected: 0, rejected_in_row: 0 };

function modeBatch(thread_id: string, mode: "never" | "interactive" | "fail_closed", mode_seen?: number) {
  const events: NewEvent[] = [{ type: "mode_set", data: { mode, by } }];
  const seen = mode_seen === undefined ? {} : { mode_seen };
  return { at: AT, thread_id, run_id: null, call: null, events, ...seen };
}

/** Part of the contract of a ledger: what holds on a thread beside its calls. */
export function threadStates(of: () => Ledger): void {
  const decided = async (
    name: string,
    kind: "reviewer" | "policy" | "user",
    type: "approve" | "reject" = "reject",
  ): Promise<void> => {
    const { call_id, approval_id } = await ask(of(), "t1", { name });
    await tell(of(), call_id, [{ type: "decide", approval_id, decision: { type }, by: { kind, id: "x" } }]);
  };

  describe("thread", () => {
    it("has no mode of its own until one is set, and then the newest", async () => {
      expect(await of().thread("t1")).toEqual(nothing);
      await of().append(modeBatch("t1", "never"));
      await ask(of(), "t2");
      await of().append(modeBatch("t1", "fail_closed"));
      expect(await of().thread("t1")).toMatchObject({ mode: "fail_closed", mode_seq: 4 });
      expect(await of().thread("t2")).toEqual(nothing);
      const [first] = await of().events({ thread_id: "t1" });
      expect(first).toMatchObject({ type: "mode_set", v: 5, call_id: null, data: { mode: "never", by } });
      expect(await of().verify()).toMatchObject({ ok: true });
    });

    it("takes a mode only from a writer who saw the one before: of 20 at once, one", async () => {
      const all = Array.from({ length: 20 }, () => of().append(modeBatch("t1", "never", 0)));
      expect((await Promise.all(all)).filter(({ ok }) => ok)).toHaveLength(1);
      expect(await of().append(modeBatch("t1", "interactive", 0))).toEqual({ ok: false });
      expect(await of().append(modeBatch("t1", "interactive", 1))).toMatchObject({ ok: true });
      expect(await of().events({})).toHaveLength(2);
    });

    it("counts what automatic reviewers reject, and in a row, until a person decides", async () => {
      await decided("1", "reviewer");
      await decided("2", "policy");
      await decided("3", "reviewer");
      expect(await of().thread("t1")).toMatchObject({ rejected: 2, rejected_in_row: 2 });
      await decided("4", "reviewer", "approve");
      await decided("5", "reviewer");
      expect(await of().thread("t1")).toMatchObject({ rejected: 3, rejected_in_row: 1 });
      await decided("6", "user");
      expect(await of().thread("t1")).toEqual(nothing);
    });

    it("forgets all of it when the thread is erased", async () => {
      await decided("1", "reviewer");
      await of().append(modeBatch("t1", "never"));
      await of().append(modeBatch("t2", "never"));
      await of().erase("t1", { at: at(9), by });
      expect(await of().thread("t1")).toEqual(nothing);
      expect(await of().thread("t2")).toMatchObject({ mode: "never" });
      expect(await of().append(modeBatch("t1", "fail_closed", 0))).toMatchObject({ ok: true });
      expect(await of().thread("t1")).toMatchObject({ mode: "fail_closed" });
      expect(await of().verify()).toMatchObject({ ok: true });
    });
  });

  describe("settledLike", () => {
    it("does not lose what people said behind many that policy rejected by itself", async () => {
      const { call_id, approval_id } = await ask(of(), "t1", { name: "first" });
      await tell(of(), call_id, [approve(approval_id)]);
      for (let n = 0; n < 51; n += 1) await decided(`${n}`, "policy");
      const call = { tool: "delete_file", args_digest: digest(ARGS) };
      for (const where of [{}, { thread_id: "t1" }])
        expect(await of().remembered.settledLike({ ...call, ...where })).toMatchObject([{ approval_id }]);
    });
  });
}
