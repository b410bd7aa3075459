import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import type { PolicyInput } from "../../src/policy/index.ts";
import { createServer } from "../../src/wire.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { agent, bench, Effects, folder, listOf, remove, resumeOf, runOf, textOf, until } from "./bench.ts";
import { Socket } from "./follow.ts";
import { people, type Person } from "./identity-bench.ts";

const roles = {
  ...{ req: ["requester" as const], ann: ["reviewer" as const], bob: ["reviewer" as const] },
  ...{
    eve: ["reviewer" as const],
    both: ["requester" as const, "reviewer" as const],
    root: ["admin" as const],
  },
};
const groups = { finance: ["ann", "bob"], leads: ["eve"] };
const rules = (review: NonNullable<PolicyInput["review"]>): PolicyInput => ({ version: 1, groups, review });
const two = rules({ quorum: 2, by: ["finance"] });
const steps = [remove("a"), { content: "done" }];
const approve = { type: "approve" };

type Paused = Awaited<ReturnType<typeof paused>>;

async function paused(
  policy: PolicyInput,
  options: { as?: "req" | "both"; store?: string; clock?: () => number } = {},
) {
  const { as = "req", ...rest } = options;
  const server = await people(steps, roles, { policy, ...rest });
  const thread_id = textOf((await server[as].post("/threads")).body["thread_id"]);
  await server[as].post(`/threads/${thread_id}/runs/wait`, runOf("go"));
  const [approval] = listOf((await server.root.get(`/approvals?thread_id=${thread_id}`)).body["approvals"]);
  const approval_id = textOf(approval!["approval_id"]);
  const show = async () => (await server.root.get(`/approvals/${approval_id}`)).body;
  return { ...server, thread_id, approval: approval!, approval_id, show };
}

const decide = (person: Person, { approval_id }: Pick<Paused, "approval_id">, body: unknown = approve) =>
  person.post(`/approvals/${approval_id}/decision?wait=10`, body);

const postgres = postgresUrl();
const stores: [string, string | undefined][] = [["SQLite", undefined]];
if (postgres) stores.push(["PostgreSQL", `${postgres}?schema=people`]);

describe.each(stores)("a call that two people of a group must approve, on %s", (_name, store) => {
  const open = () => paused(two, { ...(store !== undefined && { store }) });

  it("says so, and runs once both have", async () => {
    const at = await open();
    expect(at.approval).toMatchObject({
      ...{ quorum: 2, by: [["finance"]], reviewers: ["ann", "bob"], votes: [], requested_by: "req" },
    });
    expect(at.approval["remember"]).toBeUndefined();
    const first = await decide(at.ann, at);
    expect(first).toMatchObject({
      status: 200,
      body: { resumed: false, approval: { status: "pending", votes: [{ decided_by: { id: "ann" } }] } },
    });
    expect(at.effects.deleted).toEqual([]);
    expect((await at.root.get(`/threads/${at.thread_id}`)).body["status"]).toBe("interrupted");
    const second = await decide(at.bob, at);
    expect(second).toMatchObject({ status: 200, body: { resumed: true, approval: { status: "approved" } } });
    expect(at.effects.deleted).toEqual(["a"]);
    const { body } = await at.root.get(`/audit?thread_id=${at.thread_id}`);
    const said = listOf(body["events"]).map((event) => textOf(event["type"]));
    expect(said.filter((type) => /vote|approval/.test(type))).toEqual([
      ...["approval_requested", "vote_cast", "approval_resolved"],
    ]);
    expect((await at.root.get("/audit/verify")).body["ok"]).toBe(true);
    expect(at.errors).toEqual([]);
  });

  it("tells who has approved it that it is up to others, and who may not that they may not", async () => {
    const at = await open();
    await decide(at.ann, at);
    expect(await decide(at.ann, at)).toMatchObject({ status: 409, body: { code: "already_voted" } });
    for (const nobody of [at.eve, at.root])
      expect(await decide(nobody, at)).toMatchObject({
        status: 403,
        body: { code: "forbidden", approval: { status: "pending" } },
      });
    expect(await at.show()).toMatchObject({ status: "pending", votes: [{}] });
    expect(at.effects.begun).toBe(0);
  });

  it("ends with one rejection", async () => {
    const at = await open();
    await decide(at.ann, at);
    const { body } = await decide(at.bob, at, { type: "reject", message: "no" });
    expect(body).toMatchObject({
      resumed: true,
      approval: { status: "rejected", execution: { state: "none" } },
    });
    expect(at.effects.begun).toBe(0);
  });

  it("that one of them edits is asked about anew, by both", async () => {
    const at = await open();
    await decide(at.ann, at);
    const { body } = await decide(at.bob, at, { type: "edit", args: { path: "b" } });
    const next = textOf(body["approval"]!["next_approval_id"]);
    expect(body["approval"]).toMatchObject({ status: "edited", execution: { state: "blocked" } });
    expect(at.effects.begun).toBe(0);
    const again = { approval_id: next };
    expect((await decide(at.bob, again)).body["approval"]).toMatchObject({
      args: { path: "b" },
      votes: [{}],
    });
    expect(at.effects.begun).toBe(0);
    expect((await decide(at.ann, again)).body["approval"]).toMatchObject({ status: "approved" });
    expect(at.effects.deleted).toEqual(["b"]);
  });
});

describe("a vote", () => {
  it("counts whichever way it comes, and the run goes on after the last", async () => {
    const at = await paused(rules({ quorum: 3, by: ["finance", "leads"] }));
    const { url, thread_id, approval_id, effects } = at;
    const clientOf = ({ headers }: Person) =>
      new Client({ apiUrl: url, defaultHeaders: headers, callerOptions: { maxRetries: 0 } });
    const shown = await clientOf(at.ann).runs.wait(thread_id, "agent", {
      command: { resume: { [approval_id]: approve } },
    });
    expect(shown).toMatchObject({ __interrupt__: [{ value: { approval: { approval_id, quorum: 3 } } }] });
    expect(await at.show()).toMatchObject({ status: "pending", votes: [{ decided_by: { id: "ann" } }] });
    const socket = new Socket(`${url.replace("http", "ws")}/threads/${thread_id}/stream/events`, {
      headers: at.bob.headers,
    });
    await new Promise((resolve) => (socket.onopen = resolve));
    const params = { interrupt_id: textOf(at.approval["interrupt_id"]), response: approve };
    socket.send(JSON.stringify({ id: 1, method: "input.respond", params }));
    await until(async () => listOf((await at.show())["votes"]).length === 2);
    socket.close();
    expect(effects.begun).toBe(0);
    await until(
      async () => (await at.root.get(`/threads/${thread_id}`)).body["status"] !== ("busy" as never),
    );
    await at.eve.post(`/threads/${thread_id}/runs/wait`, resumeOf(approve));
    expect(effects.deleted).toEqual(["a"]);
    expect(await at.show()).toMatchObject({
      status: "approved",
      votes: [{ decided_by: { id: "ann" } }, { decided_by: { id: "bob" } }, { decided_by: { id: "eve" } }],
    });
    expect(at.errors).toEqual([]);
  });

  it("of whoever may not is refused whichever way it comes", async () => {
    const at = await paused(two);
    const resume = { [at.approval_id]: approve };
    const ways: [string, unknown][] = [
      [`/threads/${at.thread_id}/runs/wait`, resumeOf(approve)],
      [`/threads/${at.thread_id}/runs`, resumeOf(resume)],
      [`/threads/${at.thread_id}/runs/stream`, resumeOf(resume)],
      [`/approvals/${at.approval_id}/decision`, approve],
      ["/approvals/decisions", { decisions: [{ approval_id: at.approval_id, ...approve }] }],
      [`/threads/${at.thread_id}/approvals/${textOf(at.approval["tool_call_id"])}`, approve],
    ];
    for (const [path, body] of ways)
      expect([path, await at.eve.post(path, body)]).toMatchObject([path, { status: 403 }]);
    const params = { interrupt_id: at.approval["interrupt_id"], response: approve };
    const { body } = await at.eve.post(`/threads/${at.thread_id}/commands`, {
      id: 1,
      method: "input.respond",
      params,
    });
    expect(body).toMatchObject({ type: "error" });
    expect(await at.show()).toMatchObject({ status: "pending", votes: [] });
  });

  it("sent again by its sender is told of, and changes nothing", async () => {
    const at = await paused(two);
    const body = resumeOf({ [at.approval_id]: approve });
    const path = `/threads/${at.thread_id}/runs/wait`;
    expect((await at.ann.post(path, body)).status).toBe(200);
    expect(await at.ann.post(path, body)).toMatchObject({ status: 200, body: { __interrupt__: [{}] } });
    expect(listOf((await at.show())["votes"])).toHaveLength(1);
  });

  it("that names no question counts for each who sends it, where one is open", async () => {
    const at = await paused(two);
    const path = `/threads/${at.thread_id}/runs/wait`;
    expect((await at.ann.post(path, resumeOf(approve))).status).toBe(200);
    expect((await at.bob.post(path, resumeOf(approve))).status).toBe(200);
    expect(await at.show()).toMatchObject({ status: "approved", votes: [{}, {}] });
    expect(at.effects.deleted).toEqual(["a"]);
  });
});

describe("separate duties", () => {
  it("keep whoever asked from deciding, and nobody else", async () => {
    const at = await paused(rules({ separateDuties: true }), { as: "both" });
    expect(at.approval).toMatchObject({ separate_duties: true, requested_by: "both" });
    expect(await decide(at.both, at)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect((await decide(at.eve, at)).body["approval"]).toMatchObject({ status: "approved" });
    expect(at.effects.deleted).toEqual(["a"]);
  });

  it("leave nobody where the only one who may decide has asked: the call is unavailable at once", async () => {
    const policy: PolicyInput = {
      version: 1,
      groups: { few: ["both"] },
      review: { by: ["few"], separateDuties: true },
    };
    const server = await people(steps, roles, { policy });
    const thread_id = textOf((await server.both.post("/threads")).body["thread_id"]);
    await server.both.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
    const { body } = await server.root.get(`/approvals?status=all&thread_id=${thread_id}`);
    expect(body["approvals"]).toMatchObject([
      { status: "unavailable", decision: { reason: expect.stringContaining("Nobody may decide") as string } },
    ]);
    expect(server.effects.begun).toBe(0);
  });
});

describe("a question that nobody of the first group answers", () => {
  it("goes to the next one, whose members may decide then, and the run goes on", async () => {
    let now = Date.now();
    const review = { by: ["finance"], timeout: "1h", onTimeout: "escalate" as const, escalate: ["leads"] };
    const at = await paused(rules(review), { clock: () => now });
    expect(await decide(at.eve, at)).toMatchObject({ status: 403 });
    now += 45 * 60_000;
    await until(async () => textOf((await at.show())["warned_at"]) !== null);
    now += 15 * 60_000;
    await until(async () => (await at.show())["escalated"] === (1 as never));
    expect(await at.show()).toMatchObject({
      status: "pending",
      reviewers: ["ann", "bob", "eve"],
      warned_at: null,
    });
    expect((await decide(at.eve, at)).body["approval"]).toMatchObject({ status: "approved" });
    expect(at.effects.deleted).toEqual(["a"]);
    expect(at.errors).toEqual([]);
  });

  it("runs where policy takes silence for consent, and the rows name the clock", async () => {
    let now = Date.now();
    const effects = new Effects();
    const policy: PolicyInput = {
      version: 1,
      rules: [{ id: "ask", tools: ["read_file"], tier: "approve" }],
      review: { timeout: "1h", onTimeout: "approve", allowTimeoutApproval: true },
    };
    const script = [
      { tool_calls: [{ name: "read_file", args: { path: "r" }, id: "c1" }] },
      { content: "done" },
    ];
    const { begin, get } = await bench(script, { policy, effects, clock: () => now });
    const { thread_id } = await begin();
    expect(effects.read).toEqual([]);
    now += 60 * 60_000;
    await until(() => effects.read.length === 1);
    const { body } = await get(`/approvals?status=approved&thread_id=${thread_id}`);
    expect(body["approvals"]).toMatchObject([
      { decision: { type: "approve", decided_by: { kind: "timeout" } } },
    ]);
  });
});

describe("a server to which nobody says who they are", () => {
  it.each([
    ["review.quorum", { version: 1 as const, review: { quorum: 2 } }],
    ["review.separateDuties", { version: 1 as const, review: { separateDuties: true } }],
    [
      "rules[0].review.by",
      {
        ...{ version: 1 as const, groups },
        rules: [{ id: "r", tools: ["delete_file"], tier: "approve" as const, review: { by: ["leads"] } }],
      },
    ],
  ])("does not start with a policy that has %s", async (path, policy) => {
    const config = { graphs: { agent: agent(new Effects(), [], policy) } };
    const started = createServer({ config, store: `file:${folder()}/x.db`, port: 0 });
    await expect(started).rejects.toMatchObject({ name: "StartError", code: "identity_required" });
    await expect(started).rejects.toThrow(`the graph "agent" has \`${path}\``);
  });
});
