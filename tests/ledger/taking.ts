import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Command, Ledger, Limit, Take } from "../../src/ledger/index.ts";
import { answer, asked, at, batchOf, claim, finish, idOf, started } from "./events.ts";

const HOUR = 3_600_000;

/** A limit on what was taken in the hour before `ms` after the beginning. */
export function limit(up_to: number, ms = 0, subject = "ann"): Limit {
  return { meter: "allowance:small", subject, up_to, since: at(ms - HOUR) };
}

export function take(amount: number, subject = "ann"): Take {
  return { meter: "allowance:small", subject, amount };
}

/** A call that an allowance clears: asked and approved in one step, with what it takes. */
export async function clear(
  ledger: Ledger,
  name: string,
  takes: Take[],
  { limits, ms = 0, thread_id = "t1" }: { limits: Limit[]; ms?: number; thread_id?: string },
): ReturnType<Ledger["append"]> {
  const approval_id = `apr_${thread_id}_${name}`;
  const by = { kind: "allowance" as const, id: "small" };
  const commands: Command[] = [
    { type: "start", data: started() },
    { type: "ask", data: asked(approval_id, { asked_by: "none", takes }) },
    { type: "decide", approval_id, decision: { type: "approve" }, by },
  ];
  return ledger.append(batchOf(idOf(thread_id, name), null, commands, { thread_id, at: at(ms), limits }));
}

/** What is taken at a limit by now. */
export async function sumAt(ledger: Ledger, one: Limit): Promise<number> {
  return (await ledger.remembered.taken(one)).reduce((sum, { amount }) => sum + amount, 0);
}

/** What every store promises of takes and limits. */
export function taking(of: () => Ledger): void {
  describe("takes", () => {
    it("are written with their question, and count at their limit", async () => {
      expect(await clear(of(), "1", [take(40)], { limits: [limit(100)] })).toMatchObject({ ok: true });
      expect(await clear(of(), "2", [take(60)], { limits: [limit(100)] })).toMatchObject({ ok: true });
      expect(await sumAt(of(), limit(100))).toBe(100);
      expect(await of().verify()).toMatchObject({ ok: true });
      const events = await of().events({});
      expect(events.filter(({ type, v }) => v === 1 && type === "approval_requested")).toMatchObject([
        { type: "approval_requested", data: { takes: [take(40)] } },
        { type: "approval_requested", data: { takes: [take(60)] } },
      ]);
    });

    it("find no room beyond it: nothing is written, and the answer names the limit", async () => {
      await clear(of(), "1", [take(40)], { limits: [limit(100)] });
      const before = await of().head();
      const full = limit(100);
      expect(await clear(of(), "2", [take(61)], { limits: [limit(1_000), full] })).toEqual({
        ok: false,
        full,
      });
      expect(await of().head()).toEqual(before);
      expect(await of().call(idOf("t1", "2"))).toBeNull();
      expect(await of().verify()).toMatchObject({ ok: true, events: 3 });
    });

    it("count for their own subject and meter alone", async () => {
      await clear(of(), "1", [take(100)], { limits: [limit(100)] });
      const other = { ...take(100), meter: "allowance:large" };
      expect(await clear(of(), "2", [take(100, "bob")], { limits: [limit(100, 0, "bob")] })).toMatchObject({
        ok: true,
      });
      expect(
        await clear(of(), "3", [other], { limits: [{ ...limit(100), meter: other.meter }] }),
      ).toMatchObject({
        ok: true,
      });
    });

    it("leave a window that moves with the clock, at the very end of it", async () => {
      await clear(of(), "1", [take(100)], { limits: [limit(100)] });
      const late = (name: string, ms: number) =>
        clear(of(), name, [take(1)], { limits: [limit(100, ms)], ms });
      expect(await late("2", HOUR - 1)).toMatchObject({ ok: false });
      expect(await late("3", HOUR)).toMatchObject({ ok: true });
    });

    it("are summed up as they are written, not as binary fractions", async () => {
      for (let n = 0; n < 10; n += 1)
        expect(await clear(of(), String(n), [take(0.1)], { limits: [limit(1)] }), String(n)).toMatchObject({
          ok: true,
        });
      expect(await clear(of(), "x", [take(1e-17)], { limits: [limit(1)] })).toMatchObject({ ok: false });
      expect(await clear(of(), "y", [take(0)], { limits: [limit(1)] })).toMatchObject({ ok: true });
      expect(await clear(of(), "z", [take(1e300)], { limits: [limit(1)] })).toMatchObject({ ok: false });
    });

    it("of several batches that are written together count together", async () => {
      const batch = (name: string) =>
        batchOf(
          idOf("t1", name),
          null,
          [
            { type: "start", data: started() },
            { type: "ask", data: asked(`apr_${name}`, { takes: [take(60)] }) },
          ],
          { limits: [limit(100)] },
        );
      expect(await of().appendAll([batch("1"), batch("2")])).toMatchObject({ ok: false, full: limit(100) });
      expect(await of().appendAll([batch("1")])).toMatchObject({ ok: true });
    });

    it.each<[string, Command[], number]>([
      ["succeeded", [claim("apr_t1_1"), finish, answer], 40],
      ["is running", [claim("apr_t1_1")], 40],
      ["failed", [claim("apr_t1_1"), { type: "finish", state: "failed", error: "no" }], 0],
      ["left no result", [claim("apr_t1_1"), { type: "finish", state: "unknown", error: null }], 40],
      [
        "left no result and was given up",
        [
          claim("apr_t1_1"),
          { type: "finish", state: "unknown", error: null },
          { type: "ask", data: asked("apr_o", { kind: "outcome", round: 2 }) },
          { type: "decide", approval_id: "apr_o", decision: { type: "reject" }, by: { kind: "user" } },
          { type: "answer", data: { ok: false, outcome: "unknown", error: "?" } },
        ],
        40,
      ],
      [
        "left no result and failed when it ran again",
        [
          claim("apr_t1_1"),
          { type: "finish", state: "unknown", error: null },
          { type: "ask", data: asked("apr_o", { kind: "outcome", round: 2 }) },
          { type: "decide", approval_id: "apr_o", decision: { type: "approve" }, by: { kind: "user" } },
          claim("apr_o"),
          { type: "finish", state: "failed", error: "no" },
        ],
        40,
      ],
      [
        "was blocked",
        [{ type: "block", approval_id: "apr_t1_1", error: "stricter", next_approval_id: null }],
        0,
      ],
      ["never ran", [{ type: "answer", data: { ok: false, outcome: "cancelled", error: "gone" } }], 0],
    ])("of a call that %s are given back or not", async (_, commands, left) => {
      const cleared = await clear(of(), "1", [take(40)], { limits: [limit(100)] });
      if (!cleared.ok) throw new Error("There was no room.");
      let { call } = cleared;
      for (const command of commands) {
        const appended = await of().append(batchOf(idOf("t1"), call, [command]));
        if (!appended.ok) throw new Error("Somebody else was first.");
        ({ call } = appended);
      }
      expect(await sumAt(of(), limit(100))).toBe(left);
      expect(await of().verify()).toMatchObject({ ok: true });
    });

    it("of a question that people were asked are never given back", async () => {
      const ask: Command[] = [
        { type: "start", data: started() },
        { type: "ask", data: asked("apr_1", { takes: [take(1)] }) },
        { type: "close", approval_id: "apr_1", status: "cancelled", by: { kind: "system" } },
        { type: "answer", data: { ok: false, outcome: "cancelled", error: "gone" } },
      ];
      await of().append(batchOf(idOf("t1"), null, ask));
      expect(await sumAt(of(), limit(1))).toBe(1);
    });

    it("stay when their thread is erased", async () => {
      await clear(of(), "1", [take(40)], { limits: [limit(100)] });
      await of().erase("t1", { at: at(1), by: { kind: "user" } });
      expect(await sumAt(of(), limit(100))).toBe(40);
      expect(await of().verify()).toMatchObject({ ok: true });
      expect(await clear(of(), "1", [take(61)], { limits: [limit(100)], thread_id: "t2" })).toMatchObject({
        ok: false,
      });
    });

    it("never come to more than their limit, whatever is written at once", async () => {
      const amount = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constantFrom(0.1, 0.25, 33.3, 1e-9));
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(amount, fc.nat(2 * HOUR)), { maxLength: 20 }), async (all) => {
          round += 1;
          const subject = `round ${round}`;
          const here = { thread_id: `t${round}` };
          const taken = await Promise.all(
            all.map(([one, ms], n) =>
              clear(of(), String(n), [take(one, subject)], {
                ...here,
                limits: [limit(100, ms, subject)],
                ms,
              }),
            ),
          );
          // Whoever was refused would have gone beyond, and whoever was not did not, as the window was then.
          let held: { amount: number; ms: number }[] = [];
          for (const [n, [one, ms]] of all.entries()) {
            const inside = held
              .filter((other) => other.ms > ms - HOUR)
              .reduce((sum, other) => sum + other.amount, 0);
            expect(taken[n]?.ok).toBe(Number((inside + one).toFixed(9)) <= 100);
            if (taken[n]?.ok) held = [...held, { amount: one, ms }];
          }
        }),
        { numRuns: 15 },
      );
      expect(await of().verify()).toMatchObject({ ok: true });
    }, 60_000);
  });
}
