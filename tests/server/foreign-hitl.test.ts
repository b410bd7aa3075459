import { describe, expect, it } from "vitest";
import { listOf } from "./bench.ts";
import { refusal } from "./sdk-client.ts";
import { foreign, hitlAgent, payment } from "./foreign.ts";

const one = [payment("ann"), { content: "done" }];
const three = [payment("ann", "bob", "cy"), { content: "done" }];

describe("a question of LangChain's human-in-the-loop middleware", () => {
  it("is listed as an approval, with what was asked", async () => {
    const { go, get, statusOf, client } = await foreign((done) => hitlAgent(done, one));
    const thread_id = await go();
    const { body } = await get(`/approvals?thread_id=${thread_id}`);
    const [approval, ...others] = listOf(body["approvals"]);
    expect(others).toEqual([]);
    const { interrupts } = await client.threads.get(thread_id);
    const [[interrupt]] = Object.values(interrupts) as [[{ id: string; value: unknown }]];
    expect(approval).toMatchObject({
      ...{ kind: "interrupt", status: "pending", tool: "pay", args: { to: "ann", amount: 10 } },
      ...{ tier: "approve", rules: [], allowed_decisions: ["approve", "edit", "reject"], expires_at: null },
      ...{ interrupt_id: interrupt.id, graph_id: "agent", execution: { state: "none" }, thread_id },
      description: expect.stringContaining("Tool: pay") as string,
      reason: expect.stringContaining("HumanInTheLoopMiddleware.after_model") as string,
    });
    expect(interrupt.value).toMatchObject({ actionRequests: [{ name: "pay" }], reviewConfigs: [{}] });
    expect(await statusOf(thread_id)).toBe("interrupted");
  });

  it.each([
    ["an approval", { type: "approve" }, [{ to: "ann", amount: 10 }], "approved"],
    ["an edit", { type: "edit", args: { to: "eve", amount: 1 } }, [{ to: "eve", amount: 1 }], "edited"],
    ["a rejection", { type: "reject", message: "too much" }, [], "rejected"],
  ])("takes %s and hands it to the graph, once", async (_name, decision, paid, status) => {
    const { go, decide, pending, done, statusOf, get } = await foreign((made) => hitlAgent(made, one));
    const thread_id = await go();
    const [{ approval_id } = { approval_id: "" }] = await pending(thread_id);
    const taken = await decide(approval_id, decision);
    expect(taken.body).toMatchObject({ resumed: true, approval: { status, execution: { state: "none" } } });
    expect(done.paid).toEqual(paid);
    expect(await statusOf(thread_id)).toBe("idle");
    const again = await decide(approval_id, { type: "approve" });
    expect([again.status, again.body["code"]]).toEqual([409, "already_decided"]);
    const events = listOf((await get(`/audit?thread_id=${thread_id}`)).body["events"]);
    const types = events.map((event) => event["type"] as unknown as string);
    expect(types.filter((type) => !type.startsWith("run_"))).toEqual([
      ...["tool_call_started", "approval_requested", "approval_resolved", "tool_result"],
    ]);
    expect(events.find((event) => (event["type"] as unknown) === "tool_result")).toMatchObject({
      ...{ ok: true, outcome: "handed_over" },
    });
    expect((await get("/audit/verify")).body["ok"]).toBe(true);
  });

  it("refuses a decision that it does not allow, and still waits", async () => {
    const { go, decide, resume, pending, done, statusOf } = await foreign((made) =>
      hitlAgent(made, one, ["approve", "reject"]),
    );
    const thread_id = await go();
    const [{ approval_id } = { approval_id: "" }] = await pending(thread_id);
    for (const refused of [
      await decide(approval_id, { type: "edit", args: { to: "eve", amount: 1 } }),
      await decide(approval_id, { type: "respond", message: "hm" }),
      await resume(thread_id, { decisions: [{ type: "edit", editedAction: { name: "pay", args: {} } }] }),
      await resume(thread_id, { decisions: [{ type: "approve" }, { type: "approve" }] }),
      await resume(thread_id, { decisions: [] }),
      await resume(thread_id, "yes"),
    ])
      expect([refused.status, refused.body["code"]]).toEqual([422, "invalid_decision"]);
    expect(await statusOf(thread_id)).toBe("interrupted");
    expect(done.paid).toEqual([]);
    await decide(approval_id, { type: "approve" });
    expect(done.paid).toHaveLength(1);
  });

  it("with three actions goes on when the last is decided", async () => {
    const { go, decide, pending, done, statusOf, client } = await foreign((made) => hitlAgent(made, three));
    const thread_id = await go();
    const open = await pending(thread_id);
    const idOf = (to: string) => open.find(({ args }) => args["to"] === to)?.approval_id ?? "";
    expect(new Set(open.map(({ turn_id }) => turn_id)).size).toBe(1);
    expect((await decide(idOf("cy"), { type: "approve" })).body["resumed"]).toBe(false);
    expect((await decide(idOf("ann"), { type: "approve" })).body["resumed"]).toBe(false);
    expect(await statusOf(thread_id)).toBe("interrupted");
    expect(Object.values((await client.threads.get(thread_id)).interrupts).flat()).toHaveLength(1);
    expect(done.paid).toEqual([]);
    const edit = { type: "edit", args: { to: "bob", amount: 5 } };
    expect((await decide(idOf("bob"), edit)).body["resumed"]).toBe(true);
    expect(done.paid).toEqual(
      expect.arrayContaining([
        { to: "ann", amount: 10 },
        { to: "bob", amount: 5 },
        { to: "cy", amount: 12 },
      ]),
    );
    expect(await statusOf(thread_id)).toBe("idle");
  });

  it("with three actions takes all decisions in one request, all or none", async () => {
    const { go, post, pending, done } = await foreign((made) => hitlAgent(made, three));
    const thread_id = await go();
    const decisions = (await pending(thread_id)).map(({ approval_id }) => ({ approval_id, type: "approve" }));
    const bad = [...decisions.slice(1), { ...decisions[0], type: "respond", message: "no" }];
    expect((await post("/approvals/decisions", { decisions: bad })).status).toBe(422);
    expect(await pending(thread_id)).toHaveLength(3);
    expect((await post("/approvals/decisions?wait=10", { decisions })).status).toBe(200);
    expect(done.paid).toHaveLength(3);
  });

  it.each([
    ["LangChain's own", { decisions: [{ type: "approve" }] }, 10],
    ["Agent Inbox's", [{ type: "accept", args: null }], 10],
    [
      "agent-chat-ui's",
      { decisions: [{ type: "edit", edited_action: { name: "pay", args: { to: "ann", amount: 3 } } }] },
      3,
    ],
    [
      "JavaScript's",
      { decisions: [{ type: "edit", editedAction: { name: "pay", args: { to: "ann", amount: 4 } } }] },
      4,
    ],
    ["Agent Inbox's edited", [{ type: "edit", args: { action: "pay", args: { to: "ann", amount: 5 } } }], 5],
  ])("takes an answer in %s form over the LangGraph API, as a decision", async (_name, answer, amount) => {
    const { go, client, done, statusOf, get } = await foreign((made) => hitlAgent(made, one));
    const thread_id = await go();
    await client.runs.wait(thread_id, "agent", { command: { resume: answer } });
    expect(done.paid).toEqual([{ to: "ann", amount }]);
    expect(await statusOf(thread_id)).toBe("idle");
    const { body } = await get(`/approvals?status=all&thread_id=${thread_id}`);
    const status = amount === 10 ? "approved" : "edited";
    expect(listOf(body["approvals"])).toMatchObject([{ status, decision: { decided_by: { kind: "user" } } }]);
  });

  it("with one of three actions withdrawn tells the graph no for it", async () => {
    const { go, decide, remove, pending, done, statusOf } = await foreign((made) => hitlAgent(made, three));
    const thread_id = await go();
    const [one, ...rest] = await pending(thread_id);
    const withdrawn = await remove(`/approvals/${one!.approval_id}?wait=10`);
    expect(withdrawn.body).toMatchObject({ resumed: false, approval: { status: "cancelled" } });
    expect(await pending(thread_id)).toHaveLength(2);
    for (const { approval_id } of rest) await decide(approval_id, { type: "reject" });
    expect(await pending(thread_id)).toEqual([]);
    expect(await statusOf(thread_id)).toBe("idle");
    expect(done.paid).toEqual([]);
  });

  it("tells the model when it is withdrawn, and is in the way of new input", async () => {
    const steps = [payment("ann"), payment("bob"), { content: "done" }];
    const { go, remove, pending, done, client, statusOf } = await foreign((made) => hitlAgent(made, steps));
    const thread_id = await go();
    const [ann] = await pending(thread_id);
    await remove(`/approvals/${ann?.approval_id}?wait=10`);
    const [bob, ...others] = await pending(thread_id);
    expect([bob?.args["to"], others]).toEqual(["bob", []]);
    const input = { messages: [{ role: "user", content: "never mind" }] };
    const refused = client.runs.wait(thread_id, "agent", { input });
    expect(await refusal(refused)).toEqual({ status: 409, code: "approval_pending" });
    expect(await pending(thread_id)).toEqual([bob]);
    expect(done.paid).toEqual([]);
    expect(await statusOf(thread_id)).toBe("interrupted");
  });
});
