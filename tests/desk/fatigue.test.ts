import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { floodsIn, openDesk, type Desk } from "../../src/desk/index.ts";
import { openLedger, type Ledger } from "../../src/ledger/index.ts";
import { changeCall } from "../../src/desk/index.ts";
import { AT, idOf, started } from "../ledger/events.ts";
import { handClock, openQuestion, START } from "./support.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A desk and the questions that are put to it, each a minute after the one before. */
async function desk(): Promise<{ desk: Desk; ledger: Ledger; clock: ReturnType<typeof handClock> }> {
  const ledger = await openLedger("memory:");
  const clock = handClock();
  return { ledger, clock, desk: openDesk(ledger, { clock: clock.now }) };
}

describe("the figures of a ledger", () => {
  it("are empty where nobody was asked", async () => {
    const one = await desk();
    expect(await one.desk.fatigue()).toMatchObject({
      is_whole: true,
      load: { asks: 0, per_hour: 0, busiest_hour: null, floods: [], flood_share: 0 },
      approved: null,
      expired: null,
      per_run: { median: null, most: 0 },
      time_to_decide: { known: 0, unknown: 0, median_ms: null, too_quick: null },
      saved: { total: 0, by: [] },
      ...{ causes: [], reviewers: [] },
    });
  });

  it("count the time to decide from when it was shown, and never take an unknown one for good", async () => {
    const one = await desk();
    const [seen, unseen] = [await openQuestion(one.ledger), await openQuestion(one.ledger, { name: "2" })];
    one.clock.move(10 * MINUTE);
    await one.desk.shown(seen.approval_id);
    one.clock.move(1.5 * SECOND);
    await one.desk.decide(seen.approval_id, { type: "approve" });
    await one.desk.decide(unseen.approval_id, { type: "reject" });
    const figures = await one.desk.fatigue();
    expect(figures.time_to_decide).toMatchObject({ known: 1, unknown: 1, median_ms: 1_500, too_quick: 1 });
    expect(figures).toMatchObject({ approved: 0.5, outcomes: { approved: 1, rejected: 1, pending: 0 } });
  });

  it("tell what asked, how often it was the same, and when people always say yes", async () => {
    const one = await desk();
    for (let index = 0; index < 30; index += 1) {
      const { approval_id } = await openQuestion(one.ledger, { name: `c${index}` });
      await one.desk.decide(approval_id, { type: "approve" }, { by: { kind: "user", id: "u_1" } });
    }
    const { causes, repeated, reviewers } = await one.desk.fatigue();
    expect(causes).toMatchObject([{ asks: 30, share: 1, approved: 1, changed: 0, repeated: 29 }]);
    expect(causes[0]!.hint).toMatch(/All of 30 questions were approved/);
    expect(repeated).toBe(0.9667);
    expect(reviewers).toMatchObject([
      { reviewer: "u_1", decisions: 30, approved: 1, signs: ["100 % of the decisions are approvals"] },
    ]);
  });

  it("name what saved a question, and only where there would have been one", async () => {
    const one = await desk();
    const begin = async (name: string, more: object): Promise<void> => {
      const data = { ...started({ tool_call_id: name }), tier: "auto" as const, rules: ["git"], ...more };
      const target = { call_id: idOf("t1", name), thread_id: "t1", run_id: "r1" };
      await changeCall(one.ledger, target, AT, { commands: [{ type: "start", data }] });
    };
    await begin("relaxed", { base: "approve" });
    await begin("safe anyway", {});
    const { saved, rules } = await one.desk.fatigue();
    expect(saved).toEqual({ total: 1, by: [{ kind: "rule", id: "git", calls: 1 }] });
    expect(rules).toEqual([{ id: "git", calls: 2 }]);
  });

  it("tell runs apart by what their questions were counted for, where no run has rows of its own", async () => {
    const one = await desk();
    for (const [index, run] of ["first", "first", "second"].entries()) {
      const takes = [{ meter: "asksPerRun", subject: run, amount: 1 }];
      await openQuestion(one.ledger, { name: `c${index}`, takes });
    }
    expect((await one.desk.fatigue()).per_run).toEqual({ median: 1, most: 2 });
  });

  it("are those of the time that is asked for", async () => {
    const one = await desk();
    await openQuestion(one.ledger);
    one.clock.move(60 * MINUTE);
    expect((await one.desk.fatigue({ lastMs: 30 * MINUTE })).load.asks).toBe(0);
    expect((await one.desk.fatigue({ lastMs: 90 * MINUTE })).load.asks).toBe(1);
    expect((await one.desk.fatigue()).pending).toEqual({
      count: 1,
      median_age_ms: 60 * MINUTE,
      oldest_age_ms: 60 * MINUTE,
    });
  });
});

describe("a flood", () => {
  const at = (...minutes: number[]): number[] => minutes.map((minute) => START + minute * MINUTE);

  it("begins with the eleventh question of ten minutes and ends when fewer than five are left", () => {
    const ten = at(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    expect(floodsIn(ten)).toEqual([]);
    expect(floodsIn([...ten, ...at(9.5)])).toEqual([{ from: START + 9.5 * MINUTE, to: START + 16 * MINUTE }]);
    expect(floodsIn(at(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))).toEqual([]);
  });

  it("is nothing that depends on the order of the questions, and two never overlap", () => {
    const times = fc.array(fc.integer({ min: 0, max: 3_600_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(
        times.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const floods = floodsIn(all);
          expect(floodsIn(shuffled)).toEqual(floods);
          for (const [index, { from, to }] of floods.entries()) {
            expect(to).toBeGreaterThan(from);
            expect(all.filter((time) => time > from - 600_000 && time <= from).length).toBeGreaterThan(10);
            expect(floods[index + 1]?.from ?? Infinity).toBeGreaterThanOrEqual(to);
          }
        },
      ),
    );
  });
});
