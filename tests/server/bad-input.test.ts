import { Annotation, StateGraph } from "@langchain/langgraph";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { agent, bench, Effects, listOf, resumeOf, runOf, textOf } from "./bench.ts";

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const user = (content: unknown) => ({ role: "user", content });
const withMessages = (messages: unknown) => runOf("", { input: { messages }, if_not_exists: "create" });

/** A graph that stores what it cannot read again. */
function brittle() {
  const State = Annotation.Root({
    note: Annotation<string>({
      reducer: (_old, note) => {
        if (note === "bad") throw new Error("No note is bad.");
        return note;
      },
      default: () => "",
    }),
  });
  return new StateGraph(State)
    .addNode("keep", () => ({}))
    .addEdge("__start__", "keep")
    .compile();
}

describe("an input that holds no messages", () => {
  it.each<[string, unknown, string]>([
    ["null", null, "input.messages"],
    ["an object that is none", {}, "input.messages"],
    ["an unknown role", [user("hello"), { role: "zzz", content: "x" }], "input.messages.1"],
    ["a call that is null", [{ role: "ai", content: "", tool_calls: [null] }], "input.messages.0"],
    [
      "content too deep to be read back",
      [user([{ type: "text", text: "x", z: nested(50) }])],
      "input.messages.0",
    ],
    [
      "an object of a class that nobody may make",
      [user([{ lc: 1, type: "constructor", id: ["a", "b"], kwargs: {} }])],
      "input.messages.0",
    ],
    ["the removal of what is not there", [{ role: "remove", id: "nobody" }], "input.messages.0"],
  ])("is refused and leaves no thread: %s", async (_, messages, path) => {
    const { post, get } = await bench([]);
    const on = await post("/threads/spoilt/runs/wait", withMessages(messages));
    const alone = await post("/runs/wait", withMessages(messages));
    for (const { status, body } of [on, alone]) {
      expect(status).toBe(422);
      expect(body).toMatchObject({ code: "invalid_request", errors: [{ path }] });
    }
    expect((await get("/threads/spoilt")).status).toBe(404);
    expect((await post("/threads/search", {})).body).toEqual([]);
  });

  it("leaves a thread that was there as it was", async () => {
    const { begin, post, get } = await bench([{ content: "one" }, { content: "two" }]);
    const { thread_id } = await begin();
    const before = (await get(`/threads/${thread_id}`)).body;
    expect((await post(`/threads/${thread_id}/runs/wait`, withMessages(null))).status).toBe(422);
    expect((await get(`/threads/${thread_id}`)).body).toEqual(before);
    const { body } = await post(`/threads/${thread_id}/runs/wait`, runOf("more"));
    expect(listOf(body["messages"]).at(-1)).toMatchObject({ content: "two" });
  });
});

describe("an input of messages in any form", () => {
  it.each<[string, unknown]>([
    ["a text", "hello"],
    ["one message", user("hello")],
    ["a pair", [["user", "hello"]]],
    ["content in parts", [user([{ type: "text", text: "hello" }])]],
    ["a type in place of a role", [{ type: "human", content: "hello" }]],
  ])("is taken: %s", async (_, messages) => {
    const { post } = await bench([{ content: "hi" }]);
    const { body } = await post("/threads/new/runs/wait", withMessages(messages));
    expect(listOf(body["messages"]).map((one) => one["type"])).toEqual(["human", "ai"]);
  });

  it("may remove a message that is there", async () => {
    const { begin, post } = await bench([{ content: "one" }, { content: "two" }]);
    const { thread_id, values } = await begin();
    const id = listOf(values["messages"])[0]?.["id"];
    const messages = [{ role: "remove", id }, user("again")];
    const { status, body } = await post(`/threads/${thread_id}/runs/wait`, withMessages(messages));
    expect(status).toBe(200);
    expect(listOf(body["messages"]).map((one) => one["content"])).toEqual(["one", "again", "two"]);
  });
});

describe("a thread whose state cannot be read", () => {
  it("says so and keeps nobody from the others", async () => {
    const config = { graphs: { agent: agent(new Effects(), [{ content: "hi" }]), brittle: brittle() } };
    const server = await bench([], { config });
    const { post, get, remove, begin } = server;
    const { thread_id: good } = await begin();
    const spoil = { assistant_id: "brittle", input: { note: "bad" }, if_not_exists: "create" };
    expect((await post("/threads/spoilt/runs/wait", spoil)).body).toHaveProperty("__error__");
    const spoilt = { thread_id: "spoilt", status: "error", values: null, error: "No note is bad." };
    const one = await get("/threads/spoilt");
    expect(one.status).toBe(200);
    expect(one.body).toMatchObject(spoilt);
    const found = listOf((await post("/threads/search", { sort_by: "created_at", sort_order: "asc" })).body);
    expect(found).toMatchObject([{ thread_id: good, status: "idle" }, spoilt]);
    expect(listOf((await post("/threads/search", { values: { note: "x" } })).body)).toEqual([]);
    const state = await get("/threads/spoilt/state");
    expect(state.status).toBe(409);
    expect(state.body).toMatchObject({ code: "unreadable_state" });
    expect(textOf(state.body["detail"])).toContain("No note is bad.");
    // What was before the bad write can be read.
    expect((await get("/threads/spoilt/history")).status).toBe(200);
    expect((await remove("/threads/spoilt")).status).toBe(204);
    expect(server.errors).toEqual([]);
  });

  it("is told of as such whatever is read of it, also when its checkpoints are broken off", async () => {
    const { begin, get, post, store } = await bench([{ content: "hi" }]);
    const { thread_id } = await begin();
    const database = new Database(store.slice("file:".length));
    database.exec("update checkpoints set checkpoint = substr(checkpoint, 1, 100)");
    for (const path of ["state", "history"]) {
      const { status, body } = await get(`/threads/${thread_id}/${path}`);
      expect({ status, code: body["code"] }).toEqual({ status: 409, code: "unreadable_state" });
    }
    const answer = await post(`/threads/${thread_id}/runs/wait`, resumeOf({ type: "approve" }));
    expect(answer.body).toMatchObject({ code: "unreadable_state" });
    expect(listOf((await post("/threads/search", {})).body)).toMatchObject([
      { status: "error", values: null },
    ]);
  });
});

describe("a body that is nested deep", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  it.each([
    ["/threads", `{"thread_id":"deep","metadata":{"a":${deep}}}`, "metadata.a.0"],
    ["/threads/search", `{"metadata":{"a":${deep}}}`, "metadata.a.0"],
    ["/policies/check", `{"tool":"x","args":{"a":${deep}}}`, "args.a.0"],
    [
      "/threads/deep/runs/wait",
      `{"assistant_id":"agent","if_not_exists":"create","context":{"a":${deep}}}`,
      "context.a.0",
    ],
    ["/threads/deep/runs/wait", `{"assistant_id":"agent","command":{"resume":${deep}}}`, "command.resume.0"],
    ["/approvals/none/decision", `{"type":"edit","args":${deep}}`, "args.0.0"],
  ])("is refused by %s, and nothing is stored", async (route, body, path) => {
    const { post, get, errors } = await bench([]);
    const answer = await post(route, body);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: "invalid_request", errors: [{ path }] });
    expect((await get("/threads/deep")).status).toBe(404);
    expect(errors).toEqual([]);
  });

  it("is taken up to 64 levels, and not beyond", async () => {
    const { post } = await bench([]);
    const thread = (levels: number) => ({ metadata: { a: nested(levels - 2) } });
    expect((await post("/threads", thread(64))).status).toBe(200);
    expect((await post("/threads", thread(65))).status).toBe(422);
  });
});
