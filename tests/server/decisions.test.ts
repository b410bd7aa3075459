import { describe, expect, it } from "vitest";
import { bench, listOf, remove, textOf } from "./bench.ts";

describe("deciding over HTTP", () => {
  it("has no effect before a decision, and shows what is asked", async () => {
    const { begin, pending, effects, get } = await bench([remove("a.txt")]);
    const { thread_id, values } = await begin();
    expect(effects.deleted).toEqual([]);
    expect(values["__interrupt__"]).toHaveLength(1);
    const [approval] = await pending(thread_id);
    expect(approval).toMatchObject({
      ...{ tool: "delete_file", args: { path: "a.txt" }, tier: "approve", status: "pending" },
      ...{ thread_id, graph_id: "agent", tool_call_id: "c_a.txt_0" },
    });
    expect(approval?.reason).toBeTruthy();
    expect(Date.parse(approval?.expires_at ?? "")).toBeGreaterThan(Date.now());
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("interrupted");
  });

  it("runs the tool once after approval, and the run ends", async () => {
    const { begin, pending, effects, post, get, errors } = await bench([
      remove("a.txt"),
      { content: "done" },
    ]);
    const { thread_id } = await begin();
    const [approval] = await pending();
    const decided = await post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(decided.status).toBe(200);
    expect(decided.body).toMatchObject({
      resumed: true,
      approval: {
        status: "approved",
        execution: { state: "succeeded" },
        decision: { decided_by: { kind: "user" } },
      },
    });
    expect(decided.body["run_id"]).toEqual(expect.any(String));
    expect(effects.deleted).toEqual(["a.txt"]);
    const { body: thread } = await get(`/threads/${thread_id}`);
    expect(thread["status"]).toBe("idle");
    expect(thread["interrupts"]).toEqual({});
    expect(listOf(thread["values"]?.["messages"]).map((one) => one["type"])).toEqual([
      "human",
      "ai",
      "tool",
      "ai",
    ]);
    expect(await pending()).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("does not run the tool after a rejection, and tells the model why", async () => {
    const { begin, pending, effects, post, get } = await bench([remove("a.txt"), { content: "ok" }]);
    const { thread_id } = await begin();
    const [approval] = await pending();
    await post(`/approvals/${approval!.approval_id}/decision?wait=10`, {
      type: "reject",
      message: "keep it",
    });
    expect(effects.deleted).toEqual([]);
    const { body } = await get(`/threads/${thread_id}/state`);
    expect(body["values"]?.["messages"]?.[2]).toMatchObject({ type: "tool", status: "error" });
    expect(body["values"]?.["messages"]?.[2]?.["content"]).toContain("keep it");
  });

  it("runs edited arguments, and the audit holds both", async () => {
    const { begin, pending, effects, post, get } = await bench([remove("a.txt"), { content: "ok" }]);
    const { thread_id } = await begin();
    const [approval] = await pending();
    await post(`/approvals/${approval!.approval_id}/decision?wait=10`, {
      type: "edit",
      args: { path: "b.txt" },
    });
    expect(effects.deleted).toEqual(["b.txt"]);
    const { body } = await get(`/audit?thread_id=${thread_id}`);
    const events = listOf(body["events"]);
    expect(events.find((one) => textOf(one["type"]) === "approval_requested")?.["args"]).toEqual({
      path: "a.txt",
    });
    expect(events.find((one) => textOf(one["type"]) === "execution_started")?.["args"]).toEqual({
      path: "b.txt",
    });
    expect(events.filter((one) => textOf(one["type"]).startsWith("run_"))).toHaveLength(4);
    expect((await get("/audit/verify")).body).toMatchObject({ ok: true, broken: [] });
  });

  it("says what is wrong with the address of a decision, and decides nothing", async () => {
    const { begin, pending, post } = await bench([remove("a.txt")]);
    await begin();
    const [approval] = await pending();
    for (const wait of ["90", "-1", "soon"]) {
      const url = `/approvals/${approval!.approval_id}/decision?wait=${wait}`;
      expect((await post(url, { type: "approve" })).body).toMatchObject({
        status: 422,
        code: "invalid_request",
        detail: 'The request is not valid. "wait": must be a number of seconds from 0 to 60.',
      });
    }
    expect(await pending()).toHaveLength(1);
  });

  it("keeps an approval pending when an edit does not fit the tool's schema", async () => {
    const { begin, pending, post } = await bench([remove("a.txt")]);
    await begin();
    const [approval] = await pending();
    const { status, body, headers } = await post(`/approvals/${approval!.approval_id}/decision`, {
      type: "edit",
      args: {},
    });
    expect(status).toBe(422);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(body).toMatchObject({ code: "invalid_decision", status: 422, errors: [{ path: "args" }] });
    expect(await pending()).toHaveLength(1);
  });

  it("puts a response in the place of the result", async () => {
    const { begin, pending, effects, post, get } = await bench([remove("a.txt"), { content: "ok" }]);
    const { thread_id } = await begin();
    const [approval] = await pending();
    await post(`/approvals/${approval!.approval_id}/decision?wait=10`, {
      type: "respond",
      message: "I did it.",
    });
    expect(effects.deleted).toEqual([]);
    const { body } = await get(`/threads/${thread_id}`);
    expect(body["values"]?.["messages"]?.[2]?.["content"]).toContain("I did it.");
  });

  it("withdraws a question, and refuses a late answer", async () => {
    const {
      begin,
      pending,
      effects,
      post,
      remove: del,
      get,
    } = await bench([remove("a.txt"), { content: "ok" }]);
    const { thread_id } = await begin();
    const [approval] = await pending();
    const withdrawn = await del(`/approvals/${approval!.approval_id}?wait=10`);
    expect(withdrawn.status).toBe(200);
    expect(withdrawn.body["approval"]).toMatchObject({ status: "cancelled", decision: { type: null } });
    const late = await post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    expect(late.status).toBe(410);
    expect(late.body).toMatchObject({ code: "cancelled", approval: { status: "cancelled" } });
    expect(effects.deleted).toEqual([]);
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
  });

  it("answers with the standing outcome when somebody was first", async () => {
    const { begin, pending, post } = await bench([remove("a.txt"), { content: "ok" }]);
    await begin();
    const [approval] = await pending();
    const path = `/approvals/${approval!.approval_id}/decision?wait=10`;
    await post(path, { type: "reject" });
    const second = await post(path, { type: "approve" });
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ code: "already_decided", approval: { status: "rejected" } });
  });

  it("does not know an approval that was never asked", async () => {
    const { get, post, remove: del } = await bench([]);
    for (const answer of [
      await get("/approvals/apr_nothing"),
      await post("/approvals/apr_nothing/decision", { type: "approve" }),
      await post("/approvals/apr_nothing/shown"),
      await del("/approvals/apr_nothing"),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ code: "unknown_approval" });
    }
  });

  it("takes several decisions, all or none", async () => {
    const { begin, pending, effects, post } = await bench([remove("a", "b", "c"), { content: "ok" }]);
    const { thread_id } = await begin();
    const [a, b, c] = await pending();
    const decision = (approval_id: string, type: string) => ({ approval_id, type });
    const refused = await post("/approvals/decisions", {
      decisions: [decision(a!.approval_id, "approve"), decision("apr_nothing", "approve")],
    });
    expect(refused.status).toBe(404);
    expect(await pending()).toHaveLength(3);
    const taken = await post("/approvals/decisions?wait=10", {
      decisions: [decision(a!.approval_id, "approve"), decision(b!.approval_id, "reject")],
    });
    expect(taken.status).toBe(200);
    expect(listOf(taken.body["decisions"]).map((one) => one["approval"]?.["status"])).toEqual([
      "approved",
      "rejected",
    ]);
    expect(effects.deleted).toEqual(["a"]);
    expect((await pending(thread_id)).map(({ approval_id }) => approval_id)).toEqual([c!.approval_id]);
  });

  it("finds an approval by thread and call", async () => {
    const { begin, effects, post } = await bench([remove("a"), { content: "ok" }]);
    const { thread_id } = await begin();
    const path = `/threads/${thread_id}/approvals/c_a_0?wait=10`;
    expect((await post(`/threads/${thread_id}/approvals/c_other`, { type: "approve" })).status).toBe(404);
    expect((await post(path, { type: "approve" })).body).toMatchObject({ approval: { status: "approved" } });
    expect(effects.deleted).toEqual(["a"]);
    expect((await post(path, { type: "reject" })).body).toMatchObject({ code: "already_decided" });
  });

  it("never takes who decided from a body", async () => {
    const { begin, pending, post } = await bench([remove("a"), { content: "ok" }]);
    await begin();
    const [approval] = await pending();
    const forged = { type: "approve", decided_by: { kind: "policy", id: "root" } };
    const { status } = await post(`/approvals/${approval!.approval_id}/decision`, forged);
    expect(status).toBe(422);
    expect(await pending()).toHaveLength(1);
  });

  it("notes once when a person has seen a question", async () => {
    const { begin, pending, post, get } = await bench([remove("a")]);
    await begin();
    const [approval] = await pending();
    const path = `/approvals/${approval!.approval_id}`;
    const first = (await post(`${path}/shown`)).body["first_shown_at"];
    expect(first).toEqual(expect.any(String));
    expect((await post(`${path}/shown`)).body["first_shown_at"]).toBe(first);
    expect((await get(path)).body["first_shown_at"]).toBe(first);
  });

  it("holds the reading of an approval until it is settled", async () => {
    const { begin, pending, post, get } = await bench([remove("a"), { content: "ok" }]);
    await begin();
    const [approval] = await pending();
    const path = `/approvals/${approval!.approval_id}`;
    const held = get(`${path}?wait=30`);
    await post(`${path}/decision`, { type: "reject" });
    expect((await held).body["status"]).toBe("rejected");
    expect((await get(`${path}?wait=61`)).body).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "wait" }],
    });
  });

  it("lists approvals by status, tool and page", async () => {
    const { begin, get } = await bench([remove("a", "b", "c")]);
    const { thread_id } = await begin();
    const first = (await get(`/approvals?thread_id=${thread_id}&limit=2`)).body;
    expect(first["approvals"]).toHaveLength(2);
    const rest = (await get(`/approvals?limit=2&cursor=${textOf(first["next_cursor"])}`)).body;
    expect(rest).toMatchObject({ approvals: [{ args: { path: "c" } }], next_cursor: null });
    expect((await get("/approvals?tool=read_file")).body["approvals"]).toEqual([]);
    expect((await get("/approvals?status=approved")).body["approvals"]).toEqual([]);
    expect((await get("/approvals?status=all")).body["approvals"]).toHaveLength(3);
    expect((await get("/approvals?status=wrong")).body).toMatchObject({
      code: "invalid_request",
      detail: expect.stringMatching(/"status": must be one of "pending", .*"all"\.$/) as string,
    });
    expect((await get("/approvals?cursor=wrong")).body).toMatchObject({ code: "bad_cursor" });
  });
});

describe("many who decide at once", () => {
  it("lets one of twenty approvals win, with one effect", async () => {
    const { begin, pending, effects, post } = await bench([remove("a.txt"), { content: "done" }]);
    await begin();
    const [approval] = await pending();
    const path = `/approvals/${approval!.approval_id}/decision?wait=10`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(path, { type: "approve" })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = answers.filter(({ status }) => status === 409);
    expect(others).toHaveLength(19);
    for (const { body } of others)
      expect(body).toMatchObject({ code: "already_decided", approval: { status: "approved" } });
    expect(effects.deleted).toEqual(["a.txt"]);
  });

  it("acts on decisions that come while a run is live, one run after the other", async () => {
    const { begin, pending, effects, post, get } = await bench([remove("a", "b"), { content: "done" }]);
    let open = (): void => undefined;
    effects.gate = new Promise((resolve) => (open = resolve));
    const { thread_id } = await begin();
    const [a, b] = await pending();
    const first = await post(`/approvals/${a!.approval_id}/decision`, { type: "approve" });
    expect(first.body["resumed"]).toBe(true);
    const second = await post(`/approvals/${b!.approval_id}/decision`, { type: "approve" });
    expect(second.body).toMatchObject({
      resumed: false,
      run_id: first.body["run_id"],
      approval: { status: "approved" },
    });
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("busy");
    const held = get(`/approvals/${b!.approval_id}`);
    open();
    await held;
    await post(`/approvals/${b!.approval_id}/decision?wait=10`, { type: "approve" });
    const { body } = await get(`/threads/${thread_id}/state`);
    expect(body["next"]?.["length"]).toBeTypeOf("number");
    await expect.poll(async () => (await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
    expect([...effects.deleted].sort()).toEqual(["a", "b"]);
    expect(effects.begun).toBe(2);
  });
});
