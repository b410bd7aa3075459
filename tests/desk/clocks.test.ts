import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keepDeadlines, openDesk } from "../../src/desk/index.ts";
import { openLedger, type Approval, type DecidedBy, type Ledger } from "../../src/ledger/index.ts";
import { at } from "../ledger/events.ts";
import { handClock, openQuestion } from "./support.ts";
import { ledgerUrls } from "./stores.ts";

const MINUTE = 60_000;
const approve = { type: "approve" };
const user = (id: string): { by: DecidedBy } => ({ by: { kind: "user", id } });

/** Asks the first group, then leads, then owners; each has four minutes. */
const escalating = {
  ...{ expires_at: at(4 * MINUTE), timeout_ms: 4 * MINUTE, on_timeout: "escalate" as const },
  ...{ by: [["finance"]], reviewers: ["ann"] },
  escalate: [
    { group: "leads", reviewers: ["lea"] },
    { group: "owners", reviewers: ["ola", "ann"] },
  ],
};

describe.each(ledgerUrls())("the clock of a question %s", (_name, url) => {
  let ledger: Ledger;
  let count = 0;
  const woken: string[] = [];
  beforeAll(async () => (ledger = await openLedger(url)));
  afterAll(async () => {
    expect(await ledger.verify()).toMatchObject({ ok: true, broken: [] });
    await ledger.close();
  });
  const asked = async (change: Parameters<typeof openQuestion>[1] = {}) => {
    const approval = await openQuestion(ledger, { name: `q${(count += 1)}`, ...change });
    const clock = handClock();
    const resume = ({ approval_id }: Approval) => {
      woken.push(approval_id);
      return Promise.resolve({ run_id: null, resumed: true });
    };
    const desk = openDesk(ledger, { clock: clock.now, resume });
    const { approval_id, call_id } = approval;
    const events = async (): Promise<string[]> =>
      (await ledger.events({ call_id })).slice(2).map(({ type }) => type);
    return { desk, clock, approval_id, events, get: () => desk.get(approval_id) };
  };

  it("warns once when three quarters of it are over, and is looked at for that", async () => {
    const { desk, clock, approval_id, events, get } = await asked({ expires_at: at(4 * MINUTE) });
    expect(await ledger.nextDeadline()).toBe(at(3 * MINUTE));
    clock.move(3 * MINUTE - 1);
    expect(await desk.expireDue()).toBe(0);
    expect(await events()).toEqual([]);
    clock.move(1);
    expect(await desk.expireDue()).toBe(0);
    expect(await desk.expireDue()).toBe(0);
    expect(await events()).toEqual(["approval_warned"]);
    expect(await get()).toMatchObject({ status: "pending", warned_at: at(3 * MINUTE) });
    expect(await ledger.nextDeadline()).toBe(at(4 * MINUTE));
    clock.move(MINUTE);
    expect(await desk.expireDue()).toBe(1);
    expect(await get()).toMatchObject({ status: "expired", decision: { decided_by: { kind: "timeout" } } });
    expect(woken.filter((id) => id === approval_id)).toHaveLength(1);
  });

  it("does not warn when it is shorter than a minute, or nobody looked in time", async () => {
    const short = await asked({ expires_at: at(MINUTE - 1) });
    expect(await ledger.nextDeadline()).toBe(at(MINUTE - 1));
    short.clock.move(MINUTE - 1);
    await short.desk.expireDue();
    expect(await short.events()).toEqual(["approval_resolved"]);
    const unseen = await asked({ expires_at: at(4 * MINUTE) });
    unseen.clock.move(4 * MINUTE);
    await unseen.desk.expireDue();
    expect(await unseen.events()).toEqual(["approval_resolved"]);
  });

  it("goes on to one group after the other, each with all of its time, and ends after the last", async () => {
    const { desk, clock, approval_id, events, get } = await asked(escalating);
    clock.move(4 * MINUTE);
    expect(await desk.expireDue()).toBe(0);
    expect(await get()).toMatchObject({
      ...{ status: "pending", escalated: 1, reviewers: ["ann", "lea"], expires_at: at(8 * MINUTE) },
    });
    clock.move(3 * MINUTE);
    await desk.expireDue();
    clock.move(2 * MINUTE);
    await desk.expireDue();
    expect(await get()).toMatchObject({
      ...{ escalated: 2, reviewers: ["ann", "lea", "ola"], expires_at: at(13 * MINUTE), warned_at: null },
    });
    expect(woken).not.toContain(approval_id);
    clock.move(4 * MINUTE);
    expect(await desk.expireDue()).toBe(1);
    expect(await get()).toMatchObject({ status: "expired" });
    expect(await events()).toEqual([
      ...["approval_escalated", "approval_warned", "approval_escalated", "approval_resolved"],
    ]);
    expect(woken).toContain(approval_id);
  });

  it("leaves a question that everybody may decide to everybody", async () => {
    const { desk, clock, get } = await asked({ ...escalating, by: [], reviewers: null });
    clock.move(4 * MINUTE);
    await desk.expireDue();
    expect(await get()).toMatchObject({ escalated: 1, reviewers: null });
  });

  it("keeps votes over an escalation, and takes the rest from those who were added", async () => {
    const { desk, clock, approval_id } = await asked({ ...escalating, quorum: 2 });
    await desk.decide(approval_id, approve, user("ann"));
    await expect(desk.decide(approval_id, approve, user("lea"))).rejects.toMatchObject({ code: "forbidden" });
    clock.move(4 * MINUTE);
    await desk.expireDue();
    expect((await desk.decide(approval_id, approve, user("lea"))).approval.status).toBe("approved");
  });

  it("takes a late decision of whoever may decide after the escalation that it finds due", async () => {
    for (const [who, status] of [
      ["ann", "approved"],
      ["lea", "approved"],
    ] as const) {
      const { desk, clock, approval_id, events } = await asked(escalating);
      clock.move(4 * MINUTE + 1);
      expect((await desk.decide(approval_id, approve, user(who))).approval.status).toBe(status);
      expect(await events()).toEqual(["approval_escalated", "approval_resolved"]);
    }
  });

  it("writes the escalation that a late decision finds due, also when the decision is refused", async () => {
    const { desk, clock, approval_id, events } = await asked(escalating);
    clock.move(4 * MINUTE);
    await expect(desk.decide(approval_id, approve, user("eve"))).rejects.toMatchObject({
      code: "forbidden",
      approval: { status: "pending", escalated: 1 },
    });
    expect(await events()).toEqual(["approval_escalated"]);
  });

  it("lets the call run when its time is up, where policy says so, and a late decision is told", async () => {
    const silent = { expires_at: at(4 * MINUTE), on_timeout: "approve" as const };
    const { desk, clock, approval_id, get } = await asked(silent);
    clock.move(4 * MINUTE);
    expect(await desk.expireDue()).toBe(1);
    expect(await get()).toMatchObject({
      status: "approved",
      decision: { type: "approve", decided_by: { kind: "timeout" } },
    });
    expect(woken).toContain(approval_id);
    const late = await asked(silent);
    late.clock.move(4 * MINUTE);
    await expect(late.desk.decide(late.approval_id, { type: "reject" }, user("ann"))).rejects.toMatchObject({
      code: "already_decided",
      approval: { status: "approved", decision: { decided_by: { kind: "timeout" } } },
    });
    expect(woken).toContain(late.approval_id);
  });

  it("takes silence for nobody's word where several must approve, or only some may", async () => {
    for (const change of [{ quorum: 2 }, { by: [["finance"]], reviewers: ["ann"] }]) {
      const { desk, clock, get } = await asked({
        ...{ expires_at: at(4 * MINUTE), on_timeout: "approve" },
        ...change,
      });
      clock.move(4 * MINUTE);
      await desk.expireDue();
      expect((await get()).status).toBe("expired");
    }
  });

  it("escalates once when two desks look at the same moment", async () => {
    const { desk, clock, events } = await asked(escalating);
    clock.move(4 * MINUTE);
    const other = openDesk(ledger, { clock: clock.now });
    await Promise.all([desk.expireDue(), other.expireDue(), desk.expireDue(), other.expireDue()]);
    expect(await events()).toEqual(["approval_escalated"]);
  });

  it("is kept by whoever keeps the deadlines, from the warning to the end", async () => {
    const { desk, clock, events } = await asked(escalating);
    const errors: unknown[] = [];
    const stop = keepDeadlines(desk, ledger, { clock: clock.now, onError: (error) => errors.push(error) });
    for (const seen of [
      ["approval_warned"],
      ["approval_warned", "approval_escalated"],
      ["approval_warned", "approval_escalated", "approval_warned"],
    ]) {
      clock.move(seen.at(-1) === "approval_warned" ? 3 * MINUTE : MINUTE);
      await expect.poll(events, { timeout: 5_000 }).toEqual(seen);
    }
    await stop();
    expect(errors).toEqual([]);
  });
});
