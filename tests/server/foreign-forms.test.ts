import { describe, expect, it } from "vitest";
import { listOf, textOf, until } from "./bench.ts";
import { asking, askingTwice, foreign } from "./foreign.ts";
import { refusal } from "./sdk-client.ts";

const request = (action: string, allow: Record<string, boolean>) => ({
  action_request: { action, args: { path: "a.txt" } },
  config: { allow_accept: false, allow_edit: false, allow_respond: false, allow_ignore: false, ...allow },
  description: `May I ${action}?`,
});
const all = { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true };

describe("a question that is any value", () => {
  it("is listed under its node, and answered with a text", async () => {
    const { go, decide, pending, done } = await foreign((made) => asking(made, { greet: ["name?"] }));
    const [approval] = await pending(await go());
    expect(approval).toMatchObject({
      ...{ kind: "interrupt", tool: "greet", args: { value: "name?" }, description: "name?" },
      allowed_decisions: ["respond"],
    });
    expect((await decide(approval!.approval_id, { type: "approve" })).status).toBe(422);
    await decide(approval!.approval_id, { type: "respond", message: "Ann" });
    expect(done.answers).toEqual(["Ann"]);
  });

  it.each([[{ size: [1, 2] }], [false], [null], [0], [["a"]], [{}]])(
    "is answered with %j, over either door",
    async (value) => {
      const { go, decide, resume, pending, done } = await foreign((made) =>
        asking(made, { greet: [{ q: "name?" }] }),
      );
      const [approval] = await pending(await go());
      const taken = await decide(approval!.approval_id, { type: "respond", value });
      expect(taken.body["approval"]?.["decision"]).toMatchObject({ type: "respond", value });
      expect((await resume(await go(), value)).status).toBe(200);
      expect(done.answers).toEqual([value, value]);
    },
  );

  it("comes one after the other in a node that asks twice", async () => {
    const { go, decide, pending, done } = await foreign((made) =>
      asking(made, { greet: ["name?", "name?"] }),
    );
    const thread_id = await go();
    const [first] = await pending(thread_id);
    await decide(first!.approval_id, { type: "respond", message: "Ann" });
    const [second, ...others] = await pending(thread_id);
    expect(others).toEqual([]);
    expect(second!.approval_id).not.toBe(first!.approval_id);
    await decide(second!.approval_id, { type: "respond", message: "Bob" });
    expect(done.answers).toEqual(["Ann", "Bob"]);
  });

  it("is answered once by an answer that is sent twice", async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { go, resume, pending, done } = await foreign((made) => askingTwice(made, gate));
    const thread_id = await go();
    const first = resume(thread_id, "Ann");
    await until(() => done.answers.length > 0);
    const second = resume(thread_id, "Ann");
    await new Promise((resolve) => setTimeout(resolve, 300));
    open();
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
    expect(await pending(thread_id)).toHaveLength(1);
    await resume(thread_id, "Ann");
    expect(done.answers.at(-1)).toEqual(["Ann", "Ann"]);
  });

  it("is answered by name when two are open, and not by a bare answer", async () => {
    const { go, decide, resume, pending, done, statusOf } = await foreign((made) =>
      asking(made, { one: ["first?"], two: ["second?"] }),
    );
    const thread_id = await go();
    const open = await pending(thread_id);
    const byNode = (node: string) => open.find(({ tool }) => tool === node)!;
    expect((await resume(thread_id, "Ann")).body["code"]).toBe("ambiguous");
    expect((await resume(thread_id, { [byNode("one").interrupt_id!]: "Ann", stray: 1 })).status).toBe(404);
    expect(done.answers).toEqual([]);
    await decide(byNode("two").approval_id, { type: "respond", message: "Bob" });
    expect(done.answers).toEqual(["Bob"]);
    expect(await statusOf(thread_id)).toBe("interrupted");
    const { body } = await resume(thread_id, { [byNode("one").interrupt_id!]: { name: "Ann" } });
    expect(body["__interrupt__"]).toBeUndefined();
    expect(done.answers).toEqual(["Bob", { name: "Ann" }]);
    expect(await pending(thread_id)).toEqual([]);
  });

  it("is in the way of new input, until it is withdrawn", async () => {
    const { go, client, remove, pending, statusOf } = await foreign((made) =>
      asking(made, { greet: ["name?"] }),
    );
    const thread_id = await go();
    const [first] = await pending(thread_id);
    const again = () => client.runs.wait(thread_id, "agent", { input: {} });
    expect(await refusal(again())).toEqual({ status: 409, code: "approval_pending" });
    expect(await pending(thread_id)).toEqual([first]);
    const withdrawn = await remove(`/approvals/${first!.approval_id}?wait=10`);
    expect(withdrawn.body).toMatchObject({ resumed: false, approval: { status: "cancelled" } });
    expect(await statusOf(thread_id)).toBe("idle");
    expect(await client.threads.search({ status: "interrupted" })).toEqual([]);
    const asked = (await again()) as { __interrupt__?: unknown[] };
    expect(asked.__interrupt__).toHaveLength(1);
    expect(await pending(thread_id)).toHaveLength(1);
  });
});

describe("a question of the older inboxes", () => {
  it.each([
    ["an object", request("delete", all), 1],
    ["a list", [request("delete", all)], 1],
    ["a JSON text", JSON.stringify(request("delete", all)), 1],
    ["a list of two", [request("delete", all), request("move", all)], 2],
  ])("is read from %s", async (_name, value, count) => {
    const { go, pending, client } = await foreign((made) => asking(made, { ask: [value] }));
    const thread_id = await go();
    const open = await pending(thread_id);
    expect(open).toHaveLength(count);
    expect(open.find(({ tool }) => tool === "delete")).toMatchObject({
      ...{ args: { path: "a.txt" }, description: "May I delete?" },
      allowed_decisions: ["approve", "edit", "reject", "respond"],
    });
    const { interrupts } = await client.threads.get(thread_id);
    expect(Object.values(interrupts).flat()).toMatchObject([{ value }]);
  });

  it.each([
    [{ type: "approve" }, { type: "accept", args: null }],
    [
      { type: "reject", message: "no" },
      { type: "ignore", args: null },
    ],
    [
      { type: "respond", message: "later" },
      { type: "response", args: "later" },
    ],
    [
      { type: "edit", args: { path: "b.txt" } },
      { type: "edit", args: { action: "delete", args: { path: "b.txt" } } },
    ],
  ])("gives the graph %j in its own form, and takes that form as well", async (decision, response) => {
    const { go, decide, resume, pending, done, get } = await foreign((made) =>
      asking(made, { ask: [request("delete", all)] }),
    );
    const [approval] = await pending(await go());
    await decide(approval!.approval_id, decision);
    const thread_id = await go();
    await resume(thread_id, [response]);
    expect(done.answers).toEqual([[response], [response]]);
    const { body } = await get(`/approvals?status=all&thread_id=${thread_id}`);
    const [recorded] = listOf(body["approvals"]);
    expect(textOf(recorded?.["decision"]?.["type"])).toBe(decision.type);
  });

  it("allows no more than its flags say", async () => {
    const { go, resume, pending, done } = await foreign((made) =>
      asking(made, { ask: [request("delete", { allow_accept: true, allow_ignore: true })] }),
    );
    const thread_id = await go();
    expect((await pending(thread_id))[0]?.allowed_decisions).toEqual(["approve", "reject"]);
    expect((await resume(thread_id, [{ type: "edit", args: { action: "x", args: {} } }])).status).toBe(422);
    expect(done.answers).toEqual([]);
  });
});
