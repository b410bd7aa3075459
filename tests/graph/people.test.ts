import { describe, expect, it } from "vitest";
import { changeCall, openDesk, targetOf } from "../../src/desk/index.ts";
import { approveAll, decide } from "../../src/graph/index.ts";
import type { Call, DecidedBy } from "../../src/ledger/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { bench, remove, results, type Question, type State } from "./harness.ts";
import { sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const steps = [{ tool_calls: [remove("a", "c1")] }, { content: "done" }];
const groups = { finance: ["ann", "bob"], leads: ["lea"] };
const rules = (review: NonNullable<PolicyInput["review"]>): PolicyInput => ({ version: 1, groups, review });
const two = rules({ quorum: 2, by: ["finance"] });
const user = (id: string): { by: DecidedBy } => ({ by: { kind: "user", id } });
const approve = { type: "approve" };

/** The one question that is open. */
function question({ __interrupt__ = [] }: State): Question {
  expect(__interrupt__).toHaveLength(1);
  return __interrupt__[0] as Question;
}

describe.each([true, false])("a graph without a server, with a door: %s", (door) => {
  it("leaves a question open when somebody unknown answers it, and says why", async () => {
    for (const policy of [two, rules({ by: ["finance"] }), rules({ separateDuties: true })]) {
      const one = await bench(steps, { policy, door, stores: sqlite() });
      const { approval_id } = question(await one.ask("go")).value.approval;
      for (const answer of [{ [approval_id]: approve }, approve, { decisions: [approve] }]) {
        const again = question(await one.resume(answer)).value;
        expect(again.approval).toMatchObject({
          approval_id,
          refused: expect.stringContaining("Nobody knows who you are") as string,
        });
      }
      expect(one.effects.deleted).toEqual([]);
      expect(await one.approvals()).toMatchObject([{ status: "pending", votes: [] }]);
    }
  });

  it("takes the decisions of people whom a script names, one after the other", async () => {
    const one = await bench(steps, { policy: two, door, stores: sqlite() });
    const { approval_id } = question(await one.ask("go")).value.approval;
    if (door) {
      const first = await decide(one.graph, one.config as never, { [approval_id]: approve }, user("ann"));
      expect(question(first as never).value.approval.approval_id).toBe(approval_id);
    } else await openDesk(one.ledger).decide(approval_id, approve, user("ann"));
    expect(one.effects.deleted).toEqual([]);
    await openDesk(one.ledger).decide(approval_id, approve, user("bob"));
    const state = await one.goOn();
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "done" } });
    expect(one.effects.deleted).toEqual(["a"]);
  });
});

describe("a call that several must approve", () => {
  it("is asked about anew with what one of them made of it, and never runs on their word alone", async () => {
    const one = await bench(steps, { policy: two, stores: sqlite() });
    const { approval_id } = question(await one.ask("go")).value.approval;
    await openDesk(one.ledger).decide(approval_id, { type: "edit", args: { path: "b" } }, user("ann"));
    const next = question(await one.goOn()).value.approval;
    expect(next.approval_id).not.toBe(approval_id);
    expect(await one.approvals()).toMatchObject([
      { status: "edited", next_approval_id: next.approval_id, execution: { state: "blocked" } },
      { status: "pending", args: { path: "b" }, quorum: 2, votes: [] },
    ]);
    for (const id of ["ann", "bob"]) await openDesk(one.ledger).decide(next.approval_id, approve, user(id));
    await one.goOn();
    expect(one.effects.deleted).toEqual(["b"]);
  });

  it("is not decided by what was remembered before the rule was made", async () => {
    const stores = sqlite();
    const script = [
      { tool_calls: [remove("a", "c1")] },
      { content: "done" },
      { tool_calls: [remove("a", "c2")] },
      { content: "done" },
    ];
    const before = await bench(script, { stores });
    const { approval_id } = question(await before.ask("go")).value.approval;
    await before.resume({ [approval_id]: { ...approve, remember: { scope: "thread", match: "tool" } } });
    const { thread_id } = before.config.configurable;
    const alike = await bench(script, { stores, thread_id });
    expect((await alike.ask("again")).__interrupt__).toBeUndefined();
    const strict = await bench([...script, { tool_calls: [remove("a", "c3")] }], {
      stores,
      thread_id,
      policy: two,
    });
    expect(question(await strict.ask("and again")).value.approval).toMatchObject({ quorum: 2 });
  });

  it("asks again when the rule came between the decision and the run", async () => {
    const stores = sqlite();
    const before = await bench(steps, { stores });
    const { approval_id } = question(await before.ask("go")).value.approval;
    await openDesk(before.ledger).decide(approval_id, approve, user("ann"));
    const { thread_id } = before.config.configurable;
    const strict = await bench(steps, { stores, thread_id, policy: two });
    expect(question(await strict.goOn()).value.approval).toMatchObject({ quorum: 2 });
    expect(strict.effects.deleted).toEqual([]);
  });
});

describe("a remembered decision of one of a group", () => {
  const script = [
    { tool_calls: [remove("a", "c1")] },
    { content: "done" },
    { tool_calls: [remove("b", "c2")] },
    { content: "done" },
  ];
  const remembering = { ...approve, remember: { scope: "thread", match: "tool" } };
  const remembered = async (policy: PolicyInput) => {
    const stores = sqlite();
    const one = await bench(script, { stores, policy });
    const { approval_id } = question(await one.ask("go")).value.approval;
    await openDesk(one.ledger).decide(approval_id, remembering, user("ann"));
    await one.goOn();
    return { stores, one, thread_id: one.config.configurable.thread_id };
  };

  it("counts where calls need somebody of that group, and not where they need another", async () => {
    const policy = rules({ by: ["finance"] });
    const { stores, one, thread_id } = await remembered(policy);
    await one.ask("again");
    expect(one.effects.deleted).toEqual(["a", "b"]);
    const other = await bench([...script, { tool_calls: [remove("c", "c3")] }], {
      ...{ stores, thread_id, policy: rules({ by: ["leads"] }) },
    });
    expect(question(await other.ask("and again")).value.approval).toMatchObject({ by: [["leads"]] });
  });
});

describe("a call that nobody may decide", () => {
  it("is unavailable at once in process, where nobody says who they are", async () => {
    let asked = 0;
    const answer: ReturnType<typeof approveAll> = (...given) => {
      asked += 1;
      return approveAll()(...given);
    };
    const one = await bench(steps, { policy: rules({ by: ["finance"] }), answer });
    const state = await one.ask("go");
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "unavailable" } });
    expect(String(results(state)["c1"]?.content)).toContain("Only people who say who they are");
    expect([asked, one.effects.deleted]).toEqual([0, []]);
  });

  it("waits where those may who are asked when its time is up", async () => {
    const policy: PolicyInput = {
      ...{ version: 1, groups: { one: ["ann"], leads: ["lea"] } },
      rules: [
        { id: "one", tools: ["delete_file"], tier: "approve", review: { by: ["one"] } },
        { id: "two", tools: ["delete_*"], tier: "approve", review: { by: ["leads"] } },
      ],
    };
    const never = await bench(steps, { policy });
    expect(results(await never.ask("go"))["c1"]).toMatchObject({ artifact: { outcome: "unavailable" } });
    const review = { onTimeout: "escalate" as const, escalate: ["leads"] };
    const later = await bench(steps, { policy: { ...policy, review } });
    const { approval_id } = question(await later.ask("go")).value.approval;
    expect(await later.ledger.approval(approval_id)).toMatchObject({ status: "pending", reviewers: [] });
  });
});

describe("a call that several approved and that left no result", () => {
  it("is asked about one of them, who is known, and runs again on their word", async () => {
    const one = await bench(steps, { policy: two, stores: sqlite() });
    const { approval_id } = question(await one.ask("go")).value.approval;
    const desk = openDesk(one.ledger);
    for (const id of ["ann", "bob"]) await desk.decide(approval_id, approve, user(id));
    const [call] = await one.ledger.openCalls(one.config.configurable.thread_id);
    const { args, args_digest, tool } = call as Call;
    const claim = { type: "claim", tool, args, args_digest, owner: "own_dead", is_safe: false } as const;
    const at = new Date().toISOString();
    await changeCall(one.ledger, targetOf(call as Call), at, {
      commands: [{ ...claim, authority: { kind: "approval", approval_id } }],
      lease: { owner: "own_dead", until: at },
    });
    const asked = question(await one.goOn()).value.approval;
    expect(await one.ledger.approval(asked.approval_id)).toMatchObject({
      ...{ kind: "outcome", quorum: 1, reviewers: ["ann", "bob"], expires_at: null },
    });
    const again = question(await one.resume({ [asked.approval_id]: approve })).value.approval;
    expect(again.refused).toContain("Nobody knows who you are");
    await expect(desk.decide(asked.approval_id, approve, user("lea"))).rejects.toMatchObject({
      code: "forbidden",
    });
    await desk.decide(asked.approval_id, approve, user("bob"));
    expect((await one.goOn()).__interrupt__).toBeUndefined();
    expect(one.effects.deleted).toEqual(["a"]);
  });
});

describe("a question whose time is up while nobody looks", () => {
  it("goes to the next group when its task is entered, and runs on the word of its member", async () => {
    let now = Date.parse("2026-03-01T10:00:00.000Z");
    const clock = () => now;
    const review = { by: ["finance"], timeout: "1h", onTimeout: "escalate" as const, escalate: ["leads"] };
    const one = await bench(steps, { policy: rules(review), stores: sqlite(), clock });
    const { approval_id } = question(await one.ask("go")).value.approval;
    now += 3_600_000;
    expect(question(await one.goOn()).value.approval.approval_id).toBe(approval_id);
    expect(await one.approvals()).toMatchObject([
      { status: "pending", escalated: 1, reviewers: ["ann", "bob", "lea"] },
    ]);
    await openDesk(one.ledger, { clock }).decide(approval_id, approve, user("lea"));
    await one.goOn();
    expect(one.effects.deleted).toEqual(["a"]);
  });

  it("goes on with a person in process after an escalation, and ends with the last clock", async () => {
    const review = { timeout: "1s", onTimeout: "escalate" as const, escalate: ["leads"] };
    let asked = 0;
    const answer = () => {
      asked += 1;
      return new Promise<unknown>(() => undefined);
    };
    const one = await bench(steps, { policy: rules(review), answer });
    const state = await one.ask("go");
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "expired" } });
    const types = (await one.events()).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("approval"))).toEqual([
      ...["approval_requested", "approval_escalated", "approval_resolved"],
    ]);
    expect(asked).toBe(1);
  });
});
