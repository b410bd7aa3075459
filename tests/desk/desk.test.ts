import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeskError, keepDeadlines, openDesk } from "../../src/desk/index.ts";
import { openLedger, type Approval, type Ledger } from "../../src/ledger/index.ts";
import { at } from "../ledger/events.ts";
import { handClock, openQuestion } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-desk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const approve = { type: "approve" };

describe.each([
  ["in memory", "memory:"],
  ["on SQLite", `file:${join(folder, "desk.db")}`],
])("a desk %s", (_name, url) => {
  let ledger: Ledger;
  let count = 0;
  beforeAll(async () => (ledger = await openLedger(url)));
  afterAll(() => ledger.close());
  const open = (change: Parameters<typeof openQuestion>[1] = {}): Promise<Approval> =>
    openQuestion(ledger, { name: `q${(count += 1)}`, ...change });

  it("takes the first valid decision and says who made it", async () => {
    const { approval_id } = await open();
    const settled = await openDesk(ledger).decide(
      approval_id,
      { ...approve, reason: "ok" },
      { by: { kind: "user", id: "u1" } },
    );
    expect(settled).toMatchObject({ approval: { status: "approved" }, resumed: false });
    expect(await ledger.approval(approval_id)).toMatchObject({
      status: "approved",
      decision: { type: "approve", reason: "ok", decided_by: { kind: "user", id: "u1" } },
    });
  });

  it("lets one of twenty decisions win and tells the others what stands", async () => {
    const { approval_id } = await open();
    const desk = openDesk(ledger);
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        desk.decide(approval_id, n % 2 === 0 ? approve : { type: "reject" }),
      ),
    );
    const lost = all.flatMap((one) => (one.status === "rejected" ? [one.reason as DeskError] : []));
    const { status } = await desk.get(approval_id);
    expect(lost).toHaveLength(19);
    for (const error of lost) {
      expect(error).toBeInstanceOf(DeskError);
      expect(error).toMatchObject({ code: "already_decided", approval: { approval_id, status } });
    }
    const events = await ledger.events({});
    const resolved = events.filter(
      (one) => one.type === "approval_resolved" && one.data.approval_id === approval_id,
    );
    expect(resolved).toHaveLength(1);
  });

  it.each([
    ["no such approval", "apr_none", approve, "unknown_approval"],
    ["no type", undefined, { tipe: "approve" }, "invalid_decision"],
    ["a type that is not allowed", undefined, { type: "respond", message: "x" }, "invalid_decision"],
  ])("refuses %s and changes nothing", async (_case, id, decision, code) => {
    const { approval_id } = await open({ allowed_decisions: ["approve", "reject"] });
    await expect(openDesk(ledger).decide(id ?? approval_id, decision)).rejects.toMatchObject({ code });
    expect(await ledger.approval(approval_id)).toMatchObject({ status: "pending" });
  });

  it("requires a reason where policy does; a rejection's message is one", async () => {
    const desk = openDesk(ledger);
    const { approval_id } = await open({ require_reason: ["approve", "reject"] });
    await expect(desk.decide(approval_id, approve)).rejects.toMatchObject({ errors: [{ path: "reason" }] });
    await expect(desk.decide(approval_id, { type: "reject", message: " " })).rejects.toMatchObject({
      code: "invalid_decision",
    });
    await desk.decide(approval_id, { type: "reject", message: "no" });
  });

  it("takes all of several decisions", async () => {
    const [a, b] = [await open(), await open({ thread_id: "t2" })];
    const desk = openDesk(ledger);
    const settled = await desk.decideAll([
      { approval_id: a.approval_id, decision: approve },
      { approval_id: b.approval_id, decision: { type: "reject" } },
    ]);
    expect(settled.map(({ approval }) => approval.status)).toEqual(["approved", "rejected"]);
  });

  it("takes none of several decisions when one cannot be taken", async () => {
    const [a, b] = [await open(), await open()];
    const desk = openDesk(ledger);
    await desk.decide(b.approval_id, approve);
    const given = [a, b].map(({ approval_id }) => ({ approval_id, decision: approve }));
    await expect(desk.decideAll(given)).rejects.toMatchObject({ code: "already_decided" });
    await expect(
      desk.decideAll([given[0]!, { approval_id: a.approval_id, decision: { type: "reject" } }]),
    ).rejects.toMatchObject({
      code: "invalid_decision",
    });
    await expect(
      desk.decideAll([given[0]!, { approval_id: "apr_none", decision: approve }]),
    ).rejects.toMatchObject({
      code: "unknown_approval",
    });
    expect(await desk.get(a.approval_id)).toMatchObject({ status: "pending" });
  });

  it("withdraws a question, after which an answer comes too late", async () => {
    const { approval_id } = await open();
    const desk = openDesk(ledger);
    await desk.withdraw(approval_id, { reason: "not needed" });
    await expect(desk.decide(approval_id, approve)).rejects.toMatchObject({ code: "cancelled" });
    await expect(desk.withdraw(approval_id)).rejects.toMatchObject({ code: "cancelled" });
    expect(await desk.get(approval_id)).toMatchObject({
      status: "cancelled",
      decision: { type: null, reason: "not needed" },
    });
  });

  it("keeps when a question was shown first, and only that", async () => {
    const clock = handClock();
    const { approval_id } = await open();
    const desk = openDesk(ledger, { clock: clock.now });
    clock.move(5);
    await desk.shown(approval_id);
    clock.move(5);
    expect(await desk.shown(approval_id)).toMatchObject({ first_shown_at: at(5), status: "pending" });
    await expect(desk.shown("apr_none")).rejects.toMatchObject({ code: "unknown_approval" });
  });

  it("takes a decision up to its deadline, and none from then on", async () => {
    const clock = handClock();
    const [early, late] = [await open({ expires_at: at(1_000) }), await open({ expires_at: at(1_000) })];
    const desk = openDesk(ledger, { clock: clock.now });
    clock.move(999);
    await desk.decide(early.approval_id, approve);
    clock.move(1);
    await expect(desk.decide(late.approval_id, approve)).rejects.toMatchObject({ code: "expired" });
    expect(await desk.get(late.approval_id)).toMatchObject({
      status: "expired",
      decision: { decided_by: { kind: "timeout" } },
    });
    await expect(desk.decide(late.approval_id, approve)).rejects.toMatchObject({ code: "expired" });
  });

  it("ends what is due, and only that, and lets those runs go on", async () => {
    const clock = handClock();
    const woken: string[] = [];
    const resume = ({
      approval_id,
      run_id,
    }: Approval): Promise<{ run_id: string | null; resumed: boolean }> => {
      woken.push(approval_id);
      return Promise.resolve({ run_id, resumed: true });
    };
    const desk = openDesk(ledger, { clock: clock.now, resume });
    const [due, later, never] = [
      await open({ expires_at: at(2_000) }),
      await open({ expires_at: at(2_001) }),
      await open(),
    ];
    clock.move(1_999);
    await desk.expireDue();
    expect(woken).not.toContain(due.approval_id);
    clock.move(1);
    expect(await desk.expireDue()).toBe(1);
    expect(await desk.expireDue()).toBe(0);
    expect(woken).toEqual([due.approval_id]);
    const statuses = await Promise.all([due, later, never].map(({ approval_id }) => desk.get(approval_id)));
    expect(statuses.map(({ status }) => status)).toEqual(["expired", "pending", "pending"]);
    await desk.withdraw(later.approval_id);
  });

  it("waits until a question is settled, and decides nothing itself", async () => {
    const { approval_id } = await open();
    const desk = openDesk(ledger);
    expect(await desk.get(approval_id, { waitMs: 20 })).toMatchObject({ status: "pending" });
    const waiting = desk.get(approval_id, { waitMs: 10_000 });
    await desk.decide(approval_id, approve);
    expect(await waiting).toMatchObject({ status: "approved" });
  });

  it("lets a decision stand whose run could not be woken", async () => {
    const { approval_id } = await open();
    const errors: unknown[] = [];
    const desk = openDesk(ledger, {
      resume: () => Promise.reject(new Error("no run")),
      onError: (error) => errors.push(error),
    });
    expect(await desk.decide(approval_id, approve)).toMatchObject({
      approval: { status: "approved" },
      resumed: false,
    });
    expect(errors).toHaveLength(1);
  });

  it("lists what is pending by default, oldest first, and audits page by page", async () => {
    const desk = openDesk(ledger);
    const thread_id = `list-${count}`;
    const [a, b] = [await open({ thread_id }), await open({ thread_id })];
    expect((await desk.list({ thread_id })).approvals.map((one) => one.approval_id)).toEqual([
      a.approval_id,
      b.approval_id,
    ]);
    await desk.decide(a.approval_id, approve);
    expect((await desk.list({ thread_id })).approvals).toHaveLength(1);
    expect((await desk.list({ thread_id, status: "all" })).approvals).toHaveLength(2);
    const first = await desk.audit({ thread_id, limit: 3 });
    const rest = await desk.audit({ thread_id, after: first.next_after ?? 0, limit: 3 });
    expect([first.events.length, rest.events.length]).toEqual([3, 2]);
    expect(rest.next_after).toBeNull();
    expect((await desk.verify()).ok).toBe(true);
  });

  it("keeps deadlines for as long as it is told to", async () => {
    const clock = handClock();
    const { approval_id } = await open({ expires_at: at(5_000) });
    const desk = openDesk(ledger, { clock: clock.now });
    const errors: unknown[] = [];
    const stop = keepDeadlines(desk, ledger, { clock: clock.now, onError: (error) => errors.push(error) });
    clock.move(5_000);
    expect(await desk.get(approval_id, { waitMs: 5_000 })).toMatchObject({ status: "expired" });
    await stop();
    expect(errors).toEqual([]);
  });
});
