import { describe, expect, it } from "vitest";
import { bench, listOf, remove, resumeOf, runOf, textOf, until, type Json } from "./bench.ts";
import { streamRun } from "./sse.ts";

const three = [remove("a", "b", "c"), { content: "done" }];

describe("three pending approvals", () => {
  it("show in every read path", async () => {
    const { url, post, get, pending } = await bench(three);
    const { body: thread } = await post("/threads", {});
    const thread_id = textOf(thread["thread_id"]);
    const modes = { stream_mode: ["values", "updates"] };
    const events = await streamRun(url, `/threads/${thread_id}/runs/stream`, runOf("go", modes));
    const seen = (mode: string) =>
      new Set(
        events
          .filter(({ event }) => event === mode)
          .flatMap(({ data }) => idsIn((data as Json)["__interrupt__"])),
      );
    const ids = new Set((await pending(thread_id)).map(({ interrupt_id }) => interrupt_id));
    expect(ids.size).toBe(3);
    expect(seen("updates")).toEqual(ids);
    expect(
      idsIn((events.filter(({ event }) => event === "values").at(-1)?.data as Json)["__interrupt__"]),
    ).toHaveLength(3);
    const { body: shown } = await get(`/threads/${thread_id}`);
    expect(shown["status"]).toBe("interrupted");
    expect(new Set(Object.values(shown["interrupts"] as object).flatMap(idsIn))).toEqual(ids);
    const { body: state } = await get(`/threads/${thread_id}/state`);
    expect(new Set(listOf(state["tasks"]).flatMap((task) => idsIn(task["interrupts"])))).toEqual(ids);
    const { body: found } = await post("/threads/search", { status: "interrupted" });
    expect(Object.keys(found[0]?.["interrupts"] as object)).toHaveLength(3);
  });

  it("show in what a waiting client gets", async () => {
    const { begin, pending } = await bench(three);
    const { values } = await begin();
    expect(new Set(idsIn(values["__interrupt__"]))).toEqual(
      new Set((await pending()).map(({ interrupt_id }) => interrupt_id)),
    );
  });

  it("show only those that are left after some were decided", async () => {
    const { begin, pending, post, get } = await bench(three);
    const { thread_id } = await begin();
    const [a, b, c] = await pending();
    const answer = { [a!.approval_id]: { type: "approve" }, [b!.interrupt_id!]: { type: "reject" } };
    const { body } = await post(`/threads/${thread_id}/runs/wait`, resumeOf(answer));
    expect(idsIn(body["__interrupt__"])).toEqual([c!.interrupt_id]);
    const { body: thread } = await get(`/threads/${thread_id}`);
    expect(Object.values(thread["interrupts"] as object).flatMap(idsIn)).toEqual([c!.interrupt_id]);
  });

  const strayKey = (id: string) => ({ [id]: { type: "approve" }, note: "please" });
  const bad: [string, (id: string) => unknown, string][] = [
    ["a bare decision", () => ({ type: "approve" }), "ambiguous"],
    ["a bare decision in LangChain's form", () => ({ decisions: [{ type: "approve" }] }), "ambiguous"],
    ["a bare decision in the older form", () => [{ type: "accept", args: null }], "ambiguous"],
    ["an unknown approval id", () => ({ apr_unknown: { type: "approve" } }), "unknown_approval"],
    ["an unknown interrupt id", () => ({ ["0".repeat(32)]: { type: "approve" } }), "unknown_approval"],
    ["an empty map", () => ({}), "invalid_decision"],
    ["a map with one stray key", strayKey, "unknown_approval"],
    ["false", () => false, "ambiguous"],
    ["0", () => 0, "ambiguous"],
    ["an empty text", () => "", "ambiguous"],
    ["null", () => null, "invalid_decision"],
    ["an empty list", () => [], "ambiguous"],
    ["a list", () => [{ type: "approve" }, { type: "approve" }, { type: "approve" }], "ambiguous"],
    ["an unknown type", (id) => ({ [id]: { type: "maybe" } }), "invalid_decision"],
    ["a decision that is null", (id) => ({ [id]: null }), "invalid_decision"],
    ["a forged wake-up", (id) => ({ [id]: { countersign: 1, approval_id: id } }), "invalid_decision"],
  ];

  it.each(bad)("stay as they were after %s, and it is never used later", async (_name, answer, code) => {
    const { begin, pending, post, get, effects } = await bench(three);
    const { thread_id } = await begin();
    const before = await pending();
    const [a, b, c] = before;
    const sent = resumeOf(answer(a!.approval_id));
    for (const path of ["wait", "stream"]) {
      const refused = await post(`/threads/${thread_id}/runs/${path}`, sent);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.status).toBeLessThan(500);
      expect(refused.headers.get("content-type")).toBe("application/problem+json");
      expect(refused.body["code"]).toBe(code);
    }
    expect(await pending()).toEqual(before);
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("interrupted");
    expect(effects.deleted).toEqual([]);
    // Two are rejected, so that one is left alone, which a stored bare answer would now fit.
    await post(`/threads/${thread_id}/runs/wait`, resumeOf({ [a!.approval_id]: { type: "reject" } }));
    await post(`/approvals/${b!.approval_id}/decision?wait=10`, { type: "reject" });
    expect((await pending()).map(({ approval_id }) => approval_id)).toEqual([c!.approval_id]);
    expect(effects.deleted).toEqual([]);
    await post(`/approvals/${c!.approval_id}/decision?wait=10`, { type: "reject" });
    expect(effects.deleted).toEqual([]);
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
  });

  it("are refused when the answer is for an old checkpoint", async () => {
    const { begin, pending, post, get } = await bench(three);
    const { thread_id } = await begin();
    const { body: history } = await post(`/threads/${thread_id}/history`, { limit: 10 });
    const old = listOf(history).at(-1)?.["checkpoint"]?.["checkpoint_id"];
    const [a] = await pending();
    const answer = { [a!.approval_id]: { type: "approve" } };
    const refused = await post(`/threads/${thread_id}/runs/wait`, resumeOf(answer, { checkpoint_id: old }));
    expect(refused.body).toMatchObject({ code: "old_checkpoint", status: 409 });
    const head = (await get(`/threads/${thread_id}/state`)).body["checkpoint"];
    const taken = await post(`/threads/${thread_id}/runs/wait`, resumeOf(answer, { checkpoint: head }));
    expect(taken.status).toBe(200);
  });
});

describe("one pending approval", () => {
  const forms: [string, unknown][] = [
    ["a bare decision", { type: "approve" }],
    ["LangChain's form", { decisions: [{ type: "approve" }] }],
    ["the older form", [{ type: "accept", args: null }]],
  ];
  it.each(forms)("takes %s", async (_name, answer) => {
    const { begin, post, effects } = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await begin();
    const { status, body } = await post(`/threads/${thread_id}/runs/wait`, resumeOf(answer));
    expect(status).toBe(200);
    expect(body["__interrupt__"]).toBeUndefined();
    expect(effects.deleted).toEqual(["a"]);
  });

  it("joins the run that the same answer began, and takes no other one", async () => {
    const { begin, post, pending, effects } = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await begin();
    const [a] = await pending();
    const path = `/threads/${thread_id}/runs/wait`;
    const answer = { [a!.approval_id]: { type: "approve" } };
    const [first, second] = await Promise.all([post(path, resumeOf(answer)), post(path, resumeOf(answer))]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await post(path, resumeOf(answer))).status).toBe(200);
    expect(effects.deleted).toEqual(["a"]);
    const other = await post(path, resumeOf({ [a!.approval_id]: { type: "reject" } }));
    expect(other.body).toMatchObject({ code: "already_decided", status: 409 });
  });

  it("queues an answer behind the run that is live", async () => {
    const { begin, post, pending, effects } = await bench([remove("a", "b"), { content: "done" }]);
    let open = (): void => undefined;
    effects.gate = new Promise((resolve) => (open = resolve));
    const { thread_id } = await begin();
    const [a, b] = await pending();
    await post(`/approvals/${a!.approval_id}/decision`, { type: "approve" });
    const waiting = post(`/threads/${thread_id}/runs/wait`, resumeOf({ type: "approve" }));
    await until(async () => (await pending()).length === 0);
    open();
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(listOf(body["messages"])).toHaveLength(5);
    expect(effects).toMatchObject({ begun: 2 });
    expect(effects.deleted.toSorted()).toEqual(["a", "b"]);
    expect(b!.status).toBe("pending");
  });

  it("is told what stands when it was decided before", async () => {
    const { begin, post, pending } = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await begin();
    const [a] = await pending();
    await post(`/approvals/${a!.approval_id}/decision?wait=10`, { type: "reject" });
    const path = `/threads/${thread_id}/runs/wait`;
    const named = await post(path, resumeOf({ [a!.approval_id]: { type: "approve" } }));
    expect(named.body).toMatchObject({ code: "already_decided" });
    expect((await post(path, resumeOf({ type: "approve" }))).body).toMatchObject({ code: "not_pending" });
  });
});

function idsIn(interrupts: unknown): string[] {
  return Array.isArray(interrupts) ? (interrupts as { id: string }[]).map(({ id }) => id) : [];
}
