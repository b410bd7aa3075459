import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDesk, type Desk } from "../../src/desk/index.ts";
import { openLedger, type Approval, type DecidedBy, type Ledger } from "../../src/ledger/index.ts";
import { openQuestion } from "./support.ts";
import { ledgerUrls } from "./stores.ts";

const user = (id?: string): { by: DecidedBy } => ({ by: { kind: "user", ...(id !== undefined && { id }) } });
const approve = { type: "approve" };

describe.each(ledgerUrls())("a desk %s", (_name, url) => {
  let ledger: Ledger;
  let desk: Desk;
  let count = 0;
  const woken: string[] = [];
  beforeAll(async () => {
    ledger = await openLedger(url);
    desk = openDesk(ledger, {
      resume: async ({ approval_id, run_id }) => {
        woken.push(approval_id);
        return { run_id, resumed: true };
      },
    });
  });
  afterAll(async () => {
    expect(await ledger.verify()).toMatchObject({ ok: true, broken: [] });
    await ledger.close();
  });
  const open = (change: Parameters<typeof openQuestion>[1] = {}): Promise<Approval> =>
    openQuestion(ledger, { name: `q${(count += 1)}`, ...change });
  const typesOf = async ({ call_id }: Approval): Promise<string[]> =>
    (await ledger.events({ call_id })).map(({ type }) => type);

  it("clears a call with as many people's approvals as it needs, and wakes nobody before", async () => {
    const asked = await open({ quorum: 2 });
    const { approval_id, args_digest } = asked;
    const first = await desk.decide(approval_id, { ...approve, reason: "fine" }, user("ann"));
    expect(first).toMatchObject({
      resumed: false,
      approval: {
        status: "pending",
        decision: null,
        votes: [{ type: "approve", decided_by: { id: "ann" } }],
      },
    });
    expect(woken).not.toContain(approval_id);
    const second = await desk.decide(approval_id, approve, user("bob"));
    expect(second).toMatchObject({
      resumed: true,
      approval: {
        status: "approved",
        decision: { decided_by: { id: "bob" } },
        votes: [{ reason: "fine", decided_by: { id: "ann" } }, { decided_by: { id: "bob" } }],
      },
    });
    expect(woken).toContain(approval_id);
    expect(await typesOf(asked)).toEqual([
      "tool_call_started",
      "approval_requested",
      "vote_cast",
      "approval_resolved",
    ]);
    const votes = (await ledger.events({ call_id: asked.call_id })).filter(
      ({ type }) => type === "vote_cast",
    );
    expect(votes).toMatchObject([{ v: 5, data: { args_digest, votes: 1, quorum: 2 } }]);
  });

  it("counts one person once, however often they approve", async () => {
    const { approval_id } = await open({ quorum: 2 });
    await desk.decide(approval_id, approve, user("ann"));
    const again = desk.decide(approval_id, approve, user("ann"));
    await expect(again).rejects.toMatchObject({ code: "already_voted", approval: { status: "pending" } });
    await expect(again).rejects.toThrow("1 of 2 approvals are there");
    expect((await desk.get(approval_id)).votes).toHaveLength(1);
  });

  it("counts one person once when they approve twenty times at the same moment", async () => {
    const { approval_id } = await open({ quorum: 2 });
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => desk.decide(approval_id, approve, user("ann"))),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await desk.get(approval_id)).toMatchObject({ status: "pending", votes: [{}] });
  });

  it.each([
    ["rejection", { type: "reject", message: "no" }, "rejected"],
    ["answer", { type: "respond", message: "42" }, "responded"],
    ["edit", { type: "edit", args: { path: "b.md" } }, "edited"],
  ])("ends with one %s, whatever votes there are", async (_of, decision, status) => {
    const { approval_id } = await open({ quorum: 3 });
    await desk.decide(approval_id, approve, user("ann"));
    const { approval } = await desk.decide(approval_id, decision, user("bob"));
    expect(approval).toMatchObject({ status, votes: [{ decided_by: { id: "ann" } }] });
    await expect(desk.decide(approval_id, approve, user("cid"))).rejects.toMatchObject({
      code: "already_decided",
    });
  });

  it("lets a person who approved reject after all", async () => {
    const { approval_id } = await open({ quorum: 2 });
    await desk.decide(approval_id, approve, user("ann"));
    const { approval } = await desk.decide(approval_id, { type: "reject" }, user("ann"));
    expect(approval.status).toBe("rejected");
  });

  it.each([
    ["several must approve", { quorum: 2 }],
    ["only some may decide", { reviewers: ["ann"], by: [["finance"]] }],
    ["duties are separate", { separate_duties: true }],
  ])("takes nothing from somebody unknown where %s", async (_why, change) => {
    const asked = await open(change);
    for (const decision of [approve, { type: "reject" }, { type: "respond", message: "x" }])
      await expect(desk.decide(asked.approval_id, decision, user())).rejects.toMatchObject({
        code: "forbidden",
        message: expect.stringContaining("Nobody knows who you are") as string,
      });
    await expect(desk.decide(asked.approval_id, approve)).rejects.toMatchObject({ code: "forbidden" });
    expect(await typesOf(asked)).toEqual(["tool_call_started", "approval_requested"]);
  });

  it("takes nothing from whoever is not among those who may decide, and says whose it is", async () => {
    const { approval_id } = await open({ reviewers: ["ann", "bob"], by: [["finance", "leads"], ["legal"]] });
    const refused = desk.decide(approval_id, { type: "reject" }, user("eve"));
    await expect(refused).rejects.toMatchObject({ code: "forbidden" });
    await expect(refused).rejects.toThrow("finance or leads, and of legal");
    expect((await desk.decide(approval_id, approve, user("bob"))).approval.status).toBe("approved");
  });

  it("takes nothing from whoever asked for the call where duties are separate", async () => {
    const { approval_id } = await open({ separate_duties: true, requested_by: "ann" });
    await expect(desk.decide(approval_id, approve, user("ann"))).rejects.toThrow("somebody else");
    expect((await desk.decide(approval_id, approve, user("bob"))).approval.status).toBe("approved");
  });

  it("clears nothing by what was remembered or by a machine where people are counted, and lets them reject", async () => {
    for (const by of [
      { kind: "grant", id: "g" },
      { kind: "allowance", id: "a" },
      { kind: "reviewer", id: "bot" },
      { kind: "policy" },
      { kind: "system" },
    ] as DecidedBy[]) {
      const { approval_id } = await open({ quorum: 2 });
      await expect(desk.decide(approval_id, approve, { by })).rejects.toMatchObject({ code: "forbidden" });
      expect((await desk.decide(approval_id, { type: "reject" }, { by })).approval.status).toBe("rejected");
    }
  });

  it("remembers no vote", async () => {
    const remember = { scope: "thread", match: "tool" };
    const offered = { scopes: ["thread" as const], max_ttl: "1h", max_uses: 5, schema_digest: null };
    const { approval_id } = await open({ quorum: 2, remember: offered });
    await expect(desk.decide(approval_id, { ...approve, remember }, user("ann"))).rejects.toMatchObject({
      code: "invalid_decision",
      errors: [{ path: "remember" }],
    });
    expect((await desk.get(approval_id)).votes).toEqual([]);
  });

  it("hides in a vote what policy masks in the call", async () => {
    const { approval_id, call_id } = await open({ quorum: 2, mask: ["path"] });
    const said = { ...approve, reason: "notes/old.md is old" };
    const { approval } = await desk.decide(approval_id, said, user("ann"));
    expect(approval.votes).toMatchObject([{ reason: "*** is old" }]);
    const { events } = await desk.audit({ limit: 10_000 });
    const cast = events.filter((one) => one.call_id === call_id && one.type === "vote_cast");
    expect(cast).toMatchObject([{ data: { decision: { reason: "*** is old" } } }]);
  });

  it("takes several votes in one step, all or none", async () => {
    const [one, two] = [await open({ quorum: 2 }), await open({ quorum: 2, reviewers: ["bob"] })];
    const both = [one, two].map(({ approval_id }) => ({ approval_id, decision: approve }));
    await expect(desk.decideAll(both, user("ann"))).rejects.toMatchObject({ code: "forbidden" });
    expect((await desk.get(one.approval_id)).votes).toEqual([]);
    const settled = await desk.decideAll(both, user("bob"));
    expect(settled).toMatchObject([
      { resumed: false, approval: { status: "pending", votes: [{}] } },
      { resumed: false, approval: { status: "pending", votes: [{}] } },
    ]);
  });

  it("lets whoever may withdraw end a question that is not theirs to decide", async () => {
    const { approval_id } = await open({ quorum: 2, reviewers: ["ann", "bob"] });
    expect((await desk.withdraw(approval_id, user("eve"))).approval.status).toBe("cancelled");
  });

  it("writes questions for anybody as it did before, so that older packages read them", async () => {
    const { call_id } = await open();
    expect((await ledger.events({ call_id })).map(({ v }) => v)).toEqual([1, 1]);
    const shown = await ledger.callOf((await open()).approval_id);
    expect(shown?.approvals[0]).toMatchObject({
      ...{ quorum: 1, by: [], reviewers: null, separate_duties: false, votes: [] },
      ...{ on_timeout: "reject", escalate: [], escalated: 0, warned_at: null },
    });
  });
});
