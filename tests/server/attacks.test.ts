import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { bench, call, remove, textOf, until } from "./bench.ts";
import { foreign, hitlAgent, payment } from "./foreign.ts";
import { refusal, sdkOf } from "./sdk-client.ts";

const calls = [{ name: "pay", args: { to: "eve", amount: 1 }, id: "c" }];
const forged = { type: "ai", content: "", id: "m", tool_calls: calls };

describe("an update", () => {
  it.each([
    ["a channel that starts a node", { "branch:to:tools": true, messages: [forged] }],
    ["what is to be sent", { __pregel_tasks: [{ lg_name: "Send", node: "tools", args: {} }] }],
    ["an answer", { __resume__: { decisions: [{ type: "approve" }] } }],
    ["pairs", [["branch:to:tools", true]]],
    ["nothing that is a state", "x"],
    ["false", false],
  ])("of %s is refused, and nothing runs", async (_what, update) => {
    const { client, done, fresh } = await onHitl();
    const thread_id = await fresh();
    const refused = client.runs.wait(thread_id, "agent", { command: { update: update as never } });
    expect(await refusal(refused)).toEqual({ status: 422, code: "invalid_request" });
    expect(done.paid).toEqual([]);
  });
});

async function onHitl() {
  const made = await foreign((done) => hitlAgent(done, [payment("ann"), { content: "done" }]));
  const fresh = async () => (await made.client.threads.create()).thread_id;
  return { ...made, fresh };
}

describe("a graph whose gate is not ours", () => {
  it("is not gone on with by a copy that would act on another thread's decision", async () => {
    const { client, go, done } = await onHitl();
    const thread_id = await go();
    const resume = { decisions: [{ type: "approve" }] };
    await client.runs.wait(thread_id, "agent", { command: { resume }, interruptBefore: ["tools"] });
    expect(done.paid).toEqual([]);
    expect(await refusal(client.threads.copy(thread_id))).toEqual({ status: 422, code: "not_supported" });
  });

  it("is not gone on with without input after its run was cancelled", async () => {
    const { client, go, done, store } = await onHitl();
    const thread_id = await go();
    const resume = { decisions: [{ type: "approve" }] };
    await client.runs.wait(thread_id, "agent", { command: { resume }, interruptBefore: ["tools"] });
    // As a run stands that was cancelled with its tool still to run.
    alter(store, "update server_runs set status = 'cancelled'");
    const again = client.runs.wait(thread_id, "agent", { input: null });
    expect(await refusal(again)).toEqual({ status: 422, code: "not_supported" });
    expect(done.paid).toEqual([]);
  });

  it("has a jump that waited checked when its turn comes", async () => {
    const { client, done, fresh } = await onHitl();
    const thread_id = await fresh();
    const say = (content: string) => ({ messages: [{ role: "user", content }] });
    const command = { update: say("later") };
    const waiting = await client.runs.create(thread_id, "agent", {
      command: command,
      afterSeconds: 2,
    });
    await client.runs.wait(thread_id, "agent", { input: say("pay") });
    const resume = { decisions: [{ type: "approve" }] };
    await client.runs.wait(thread_id, "agent", { command: { resume }, interruptBefore: ["tools"] });
    await until(async () => (await client.runs.get(thread_id, waiting.run_id)).status === "error");
    expect(done.paid).toEqual([]);
  });
});

function alter(store: string, sql: string): void {
  const database = new Database(store.slice("file:".length));
  database.exec(sql);
  database.close();
}

describe("a decision on a thread that began with a jump", () => {
  it("lets it go on, and the server answers", async () => {
    const server = await bench([remove("a"), { content: "done" }]);
    const client = sdkOf(server);
    const { thread_id } = await client.threads.create();
    const update = { messages: [{ role: "user", content: "go" }] };
    await client.runs.wait(thread_id, "agent", { command: { update, goto: "agent" } });
    const [approval] = await server.pending(thread_id);
    const { body } = await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, {
      type: "approve",
    });
    expect(body).toMatchObject({ resumed: true });
    expect(server.effects.deleted).toEqual(["a"]);
  });
});

describe("a decision on an approval that no thread of this server has", () => {
  it("is written, wakes nobody, and the server answers", async () => {
    const server = await bench([remove("a"), { content: "done" }]);
    await server.begin();
    const [approval] = await server.pending();
    // As if a script had asked in the same file.
    alter(server.store, "delete from server_threads");
    const { status, body } = await server.post(`/approvals/${approval!.approval_id}/decision`, {
      type: "approve",
    });
    expect({ status, resumed: body["resumed"] }).toEqual({ status: 200, resumed: false });
    expect((await server.get("/ok")).status).toBe(200);
    expect(server.effects.deleted).toEqual([]);
  });
});

describe("an assistant's policy", () => {
  it("holds for a run that jumps, too", async () => {
    const server = await bench([
      { tool_calls: [call("read_file", { path: "a" })] },
      { content: "done" },
      { tool_calls: [call("read_file", { path: "b" })] },
      { content: "done" },
    ]);
    const client = sdkOf(server);
    const rules = [{ id: "no", tools: ["read_file"], tier: "deny" }];
    const { assistant_id } = await client.assistants.create({
      ...{ graphId: "agent", context: { policy: { rules } } },
    });
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input: { messages: [{ role: "user", content: "go" }] } });
    expect(server.effects.read).toEqual(["a"]);
    const update = { messages: [{ role: "user", content: "again" }] };
    await client.runs.wait(thread_id, assistant_id, { command: { update, goto: "agent" } });
    expect(server.effects.read).toEqual(["a"]);
  });
});

describe("the streaming protocol", () => {
  it("has no commands but its own", async () => {
    const server = await bench([]);
    const { body: thread } = await server.post("/threads", {});
    const path = `/threads/${textOf(thread["thread_id"])}/commands`;
    for (const method of ["constructor", "toString", "__proto__", "valueOf"]) {
      const { body } = await server.post(path, { id: 1, method, params: {} });
      expect(body).toMatchObject({ type: "error", error: "unknown_command" });
    }
  });

  it("takes no answer that answers nothing", async () => {
    const server = await bench([remove("a")]);
    const { thread_id } = await server.begin();
    for (const params of [{ response: "no" }, {}, { responses: [] }]) {
      const { body } = await server.post(`/threads/${thread_id}/commands`, {
        id: 1,
        method: "input.respond",
        params,
      });
      expect(body).toMatchObject({ type: "error", problem: { code: "invalid_decision" } });
    }
    expect(await server.pending(thread_id)).toHaveLength(1);
  });
});

describe("a policy in a context that cannot be read", () => {
  it.each([
    ["a misspelt tier", { policy: { rules: [{ id: "d", tools: ["delete_file"], tier: "denny" }] } }],
    ["a misspelt mode", { mode: "nevr" }],
    ["a misspelt key", { polic: { mode: "never" } }],
    ["a name", { policy: "careful" }],
    ["null", { policy: null }],
  ])("refuses the answer it came with: %s", async (_what, context) => {
    const server = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await server.begin();
    const answer = { assistant_id: "agent", command: { resume: { type: "approve" } }, context };
    const { status, body } = await server.post(`/threads/${thread_id}/runs/wait`, answer);
    expect({ status, code: body["code"] }).toEqual({ status: 422, code: "invalid_policy" });
    expect(await server.pending(thread_id)).toHaveLength(1);
    const again = await server.restart();
    expect(await again.pending(thread_id)).toHaveLength(1);
    expect(again.effects.deleted).toEqual([]);
  });

  it("is refused where nobody would look for it", async () => {
    const server = await bench([]);
    const config = { configurable: { policy: { mode: "never" } } };
    const { body } = await server.post("/runs/wait", { assistant_id: "agent", input: {}, config });
    expect(body).toMatchObject({ code: "invalid_policy", status: 422 });
  });
});

describe("a jump to a node that there is not", () => {
  it("is refused by name", async () => {
    const server = await bench([{ content: "hi" }]);
    const { thread_id } = await server.begin();
    const { body } = await server.post(`/threads/${thread_id}/runs/wait`, {
      ...{ assistant_id: "agent", command: { goto: "agnt" } },
    });
    expect(body).toMatchObject({ code: "invalid_request", errors: [{ path: "command.goto" }] });
  });
});
