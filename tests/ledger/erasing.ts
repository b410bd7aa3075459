import { describe, expect, it } from "vitest";
import type { Batch, Ledger, LedgerEvent, NewEvent } from "../../src/ledger/index.ts";
import { answer, approve, ask, AT, at, batchOf, claim, finish, runStarted, tell } from "./events.ts";

const by = { kind: "user", id: "ann" } as const;
const erasure = { at: at(9), by };

/** A thread with a call that ran, and what its arguments say. */
async function done(ledger: Ledger, thread_id = "t1", name = "1") {
  const { call_id, approval_id } = await ask(ledger, thread_id, { name });
  for (const command of [approve(approval_id), claim(approval_id), finish, answer])
    await tell(ledger, call_id, [command]);
  return { call_id, approval_id };
}

/** Part of the contract of a ledger: what is left of a thread that was erased. */
export function erasing(of: () => Ledger): void {
  describe("erase", () => {
    it("takes away what the thread's events held, and leaves digests, types, times and hashes", async () => {
      await done(of());
      await ask(of(), "t2");
      const before = await of().record({});
      expect(await of().erase("t1", erasure)).toBe(6);
      const after = await of().record({});
      expect(JSON.stringify(after.filter(({ thread_id }) => thread_id === "t1"))).not.toContain("old.md");
      expect(after).toHaveLength(before.length + 1);
      expect(after[0]).toEqual({
        ...{ type: "tool_call_started", data: null, v: 1, seq: 1, thread_seq: 1, at: AT, thread_id: "t1" },
        ...{ run_id: "r1", call_id: before[0]?.call_id, hash: before[0]?.hash },
        data_digest: expect.stringMatching(/^sha256:\w{64}$/) as string,
      });
      expect(after.at(-1)).toMatchObject({
        ...{ type: "thread_erased", v: 3, thread_id: "t1", call_id: null, run_id: null, at: at(9) },
        data: { events: 6, by },
      });
      expect(after.slice(0, -1).map(({ hash }) => hash)).toEqual(before.map(({ hash }) => hash));
    });

    it("keeps the chains whole: verify counts what was erased, and knows each head of before", async () => {
      await done(of());
      const { hash: head } = await of().head();
      await of().erase("t1", erasure);
      await ask(of(), "t2");
      expect(await of().verify({ head })).toMatchObject({
        ...{ ok: true, threads: 2, events: 9, erased: 6, broken: [] },
      });
      expect(await of().verify({ thread_id: "t1" })).toMatchObject({ ok: true, events: 7, erased: 6 });
      expect(await of().verify({ thread_id: "t2" })).toMatchObject({ ok: true, events: 2, erased: 0 });
    });

    it("lets go of calls and approvals, and knows that an approval was erased", async () => {
      const { call_id, approval_id } = await done(of());
      const { approval_id: pending } = await ask(of(), "t1", { name: "2", expires_at: at(1) });
      const other = await ask(of(), "t2");
      await of().erase("t1", erasure);
      expect(await of().call(call_id)).toBeNull();
      expect(await of().callOf(approval_id)).toBeNull();
      expect(await of().approval(pending)).toBeNull();
      expect(await of().openCalls()).toHaveLength(1);
      expect(await of().due(at(10), 10)).toEqual([]);
      const { approvals } = await of().approvals({ status: "all" });
      expect(approvals.map((one) => one.approval_id)).toEqual([other.approval_id]);
      expect(await Promise.all([approval_id, pending].map((id) => of().isErased(id)))).toEqual([true, true]);
      expect(await of().isErased(other.approval_id)).toBe(false);
      expect(await of().isErased("apr_x")).toBe(false);
    });

    it("leaves the events of other threads, and leaves the erased ones out where events are read", async () => {
      await done(of());
      await ask(of(), "t2");
      await of().erase("t1", erasure);
      const types = async (query: Parameters<Ledger["events"]>[0]) =>
        (await of().events(query)).map(({ type }) => type);
      expect(await types({ limit: 2 })).toEqual(["tool_call_started", "approval_requested"]);
      expect(await types({ thread_id: "t1" })).toEqual(["thread_erased"]);
      expect(await types({ after: 8 })).toEqual(["thread_erased"]);
    });

    it("does not write upon a call that was erased, as a tool that still runs would", async () => {
      const { call_id, approval_id } = await ask(of(), "t1");
      const call = await tell(of(), call_id, [approve(approval_id), claim(approval_id)]);
      await of().erase("t1", erasure);
      expect(await of().append(batchOf(call_id, call, [finish]))).toEqual({ ok: false });
      expect(await of().verify()).toMatchObject({ ok: true, erased: 4 });
    });

    it("erases what came later too, and what it said of the first time stays", async () => {
      await done(of());
      await of().erase("t1", erasure);
      await done(of(), "t1", "2");
      const run: Batch = { at: AT, thread_id: "t1", run_id: "r9", call: null, events: [runStarted] };
      await of().append(run);
      expect(await of().erase("t1", { at: at(99), by: { kind: "system" } })).toBe(7);
      const told = (await of().events({ thread_id: "t1" })) as (LedgerEvent & { type: "thread_erased" })[];
      expect(told.map(({ data }) => data)).toEqual([
        { events: 6, by },
        { events: 7, by: { kind: "system" } },
      ]);
      expect(await of().verify()).toMatchObject({ ok: true, events: 15, erased: 13 });
    });

    it("writes nothing where there is nothing to erase", async () => {
      await done(of());
      await of().erase("t1", erasure);
      const before = await of().head();
      expect(await of().erase("t1", erasure)).toBe(0);
      expect(await of().erase("t9", erasure)).toBe(0);
      expect(await of().head()).toEqual(before);
    });

    it("is told of like any event, without what was erased", async () => {
      await done(of());
      const heard: LedgerEvent[] = [];
      of().subscribe((events) => heard.push(...events));
      await of().erase("t1", erasure);
      expect(heard).toMatchObject([{ type: "thread_erased", data: { events: 6 } }]);
    });

    it("is the only way to write that a thread was erased", async () => {
      const event: NewEvent = { type: "thread_erased", data: { events: 1, by } };
      const batch: Batch = { at: AT, thread_id: "t1", run_id: null, call: null, events: [event] };
      await expect(of().append(batch)).rejects.toThrow(/by erasing/);
    });
  });
}
