import { describe, expect, it } from "vitest";
import { openDesk, type Desk } from "../../src/desk/index.ts";
import { openLedger, type DecidedBy, type Ledger } from "../../src/ledger/index.ts";
import { handClock, openQuestion } from "./support.ts";

const terms = {
  ...{ window: 5, approve_rate: 0.9, median_seconds: 2 },
  ...{ require_reason: false, pause_seconds: 0, second_reviewer: false },
};
const anna: DecidedBy = { kind: "user", id: "u_anna" };
const SLOW = 60_000;

interface Bench {
  desk: Desk;
  ledger: Ledger;
  clock: ReturnType<typeof handClock>;
  ask: (more?: object) => Promise<string>;
  /** Asks and decides as often, each time so many milliseconds after it was shown. */
  habit: (times: number, type: string, ms: number, by?: DecidedBy) => Promise<void>;
}

/** A desk whose questions have the friction of these terms. */
async function bench(then: Partial<typeof terms>): Promise<Bench> {
  const ledger = await openLedger("memory:");
  const clock = handClock();
  const desk = openDesk(ledger, { clock: clock.now });
  let asked = 0;
  const ask = async (more: object = {}) => {
    asked += 1;
    const rubber_stamp = { ...terms, ...then };
    const question = { name: `c${asked}`, rules: ["deletes"], rubber_stamp, expires_at: null, ...more };
    return (await openQuestion(ledger, question)).approval_id;
  };
  const habit = async (times: number, type: string, ms: number, by = anna) => {
    for (let index = 0; index < times; index += 1) {
      const id = await ask();
      await desk.shown(id);
      clock.move(ms);
      await desk.decide(id, { type }, { by });
    }
  };
  return { desk, ledger, clock, ask, habit };
}

describe("a reviewer who shows signs of not reading", () => {
  it("needs a reason for an approval, is told the figure, and may always reject", async () => {
    const one = await bench({ require_reason: true });
    await one.habit(5, "approve", SLOW);
    const [first, second] = [await one.ask(), await one.ask()];
    await expect(one.desk.decide(first, { type: "approve" }, { by: anna })).rejects.toMatchObject({
      code: "invalid_decision",
      message: expect.stringContaining("you approved 5 of the last 5") as string,
    });
    expect(await one.desk.get(first, { by: anna })).toMatchObject({
      require_reason: ["approve", "edit"],
      friction: { require_reason: true, why: 'under rule "deletes" you approved 5 of the last 5' },
    });
    const told = { type: "approve", reason: "the build folder may go" };
    const { approval } = await one.desk.decide(first, told, { by: anna });
    expect(approval).toMatchObject({
      status: "approved",
      decision: { friction: 'under rule "deletes" you approved 5 of the last 5' },
    });
    expect(await one.desk.decide(second, { type: "reject" }, { by: anna })).toMatchObject({
      approval: { status: "rejected" },
    });
  });

  it("is noticed by decisions that are quicker than the text, though some are rejections", async () => {
    const one = await bench({ require_reason: true });
    await one.habit(3, "approve", 500);
    await one.habit(2, "reject", 500);
    await expect(one.desk.decide(await one.ask(), { type: "approve" }, { by: anna })).rejects.toThrow(
      /half of them within 0\.5 s, less than the text needs/,
    );
  });

  it("is taken only a while after the question was shown, counted by the server", async () => {
    const one = await bench({ pause_seconds: 5 });
    await one.habit(5, "approve", SLOW);
    const id = await one.ask();
    const decide = () => one.desk.decide(id, { type: "approve" }, { by: anna });
    await expect(decide()).rejects.toThrow(/a while after the question was shown/);
    one.clock.move(4_999);
    await expect(decide()).rejects.toThrow(/Read it again: your "approve" is taken from/);
    one.clock.move(1);
    expect((await decide()).approval.status).toBe("approved");
  });

  it("cannot approve alone, and not twice, where another one has to approve as well", async () => {
    const one = await bench({ second_reviewer: true });
    await one.habit(5, "approve", SLOW);
    const id = await one.ask();
    const vote = await one.desk.decide(id, { type: "approve" }, { by: anna });
    expect(vote.approval).toMatchObject({ status: "pending", votes: [{ decided_by: anna }] });
    await expect(one.desk.decide(id, { type: "approve" }, { by: anna })).rejects.toMatchObject({
      code: "already_voted",
    });
    const other: DecidedBy = { kind: "user", id: "u_ben" };
    const { approval } = await one.desk.decide(id, { type: "approve" }, { by: other });
    expect(approval).toMatchObject({ status: "approved", decision: { decided_by: other } });
  });

  it("gets it for all decisions of a group, which are taken or refused together", async () => {
    const one = await bench({ pause_seconds: 5 });
    await one.habit(5, "approve", SLOW);
    const given = [await one.ask(), await one.ask()].map((approval_id) => ({
      approval_id,
      decision: { type: "approve" },
    }));
    const decide = () => one.desk.decideAll(given, { by: anna });
    for (let wait = 0; wait < 2; wait += 1) {
      await expect(decide()).rejects.toMatchObject({ code: "invalid_decision" });
      one.clock.move(5_000);
    }
    expect((await decide()).map(({ approval }) => approval.status)).toEqual(["approved", "approved"]);
  });
});

describe("friction", () => {
  const isFree = async (one: Bench, by: DecidedBy = anna, more: object = {}) =>
    (await one.desk.decide(await one.ask(more), { type: "approve" }, { by })).approval.status === "approved";

  it("is for that reviewer and that rule alone", async () => {
    const one = await bench({ require_reason: true });
    await one.habit(5, "approve", SLOW);
    expect(await isFree(one, { kind: "user", id: "u_ben" })).toBe(true);
    expect(await isFree(one, { kind: "user" })).toBe(true);
    expect(await isFree(one, anna, { rules: ["payments"] })).toBe(true);
    await expect(isFree(one, anna, { rules: ["payments", "deletes"] })).rejects.toThrow(/needs a "reason"/);
  });

  it("needs as many decisions as the window, and unknown times are neither quick nor slow", async () => {
    const one = await bench({ require_reason: true, approve_rate: 1 });
    await one.habit(4, "approve", 0);
    expect(await isFree(one, anna, { rules: ["deletes", "x"] })).toBe(true);
    const two = await bench({ require_reason: true, approve_rate: 1 });
    await two.habit(1, "reject", SLOW);
    for (let index = 0; index < 4; index += 1) expect(await isFree(two)).toBe(true);
    expect(await isFree(two)).toBe(true);
  });

  it("wears off with decisions that show otherwise, and with twelve hours", async () => {
    const one = await bench({ require_reason: true });
    await one.habit(5, "approve", SLOW);
    await one.habit(1, "reject", SLOW);
    expect(await isFree(one)).toBe(true);
    const two = await bench({ require_reason: true });
    await two.habit(5, "approve", SLOW);
    two.clock.move(12 * 3_600_000);
    expect(await isFree(two)).toBe(true);
  });

  it("does not touch what others than people decide, or what became of an execution", async () => {
    const one = await bench({ require_reason: true });
    await one.habit(5, "approve", SLOW);
    expect(await isFree(one, { kind: "grant", id: "gra_1" })).toBe(true);
    expect(await isFree(one, anna, { kind: "outcome" })).toBe(true);
  });
});
