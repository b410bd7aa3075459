import { describe, expect, it } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import { until } from "./bench.ts";
import { asking, failing, foreign, hitlAgent, payment } from "./foreign.ts";

const three = [payment("ann", "bob", "cy"), { content: "done" }];

describe("a question of a graph's own, over a restart", () => {
  it("is still there, under the same id", async () => {
    const first = await foreign((made) => asking(made, { greet: ["name?"] }));
    const thread_id = await first.go();
    const [before] = await first.pending(thread_id);
    const second = await first.again();
    const [after, ...others] = await second.pending(thread_id);
    expect([after?.approval_id, others]).toEqual([before?.approval_id, []]);
    await second.decide(before!.approval_id, { type: "respond", message: "Ann" });
    expect(second.done.answers).toEqual(["Ann"]);
    expect((await second.get("/audit/verify")).body["ok"]).toBe(true);
  });

  it("is handed over when the server stopped right after the decision", async () => {
    const first = await foreign((made) => hitlAgent(made, three));
    const thread_id = await first.go();
    const open = await first.pending(thread_id);
    // A desk that lets nothing go on: as if the process had ended just then.
    const desk = openDesk(first.server.ledger);
    for (const { approval_id } of open) await desk.decide(approval_id, { type: "approve" });
    expect(first.done.paid).toEqual([]);
    const second = await first.again();
    await until(async () => (await second.statusOf(thread_id)) === "idle");
    expect(second.done.paid).toHaveLength(3);
    const third = await second.again();
    expect(third.done.paid).toHaveLength(3);
    expect(await third.statusOf(thread_id)).toBe("idle");
  });

  it("waits for the rest when only some of its actions were decided", async () => {
    const first = await foreign((made) => hitlAgent(made, three));
    const thread_id = await first.go();
    const [one, ...rest] = await first.pending(thread_id);
    await first.decide(one!.approval_id, { type: "approve" });
    const second = await first.again();
    expect(await second.statusOf(thread_id)).toBe("interrupted");
    for (const { approval_id } of rest) await second.decide(approval_id, { type: "approve" });
    expect(second.done.paid).toHaveLength(3);
  });

  it("stays withdrawn", async () => {
    const first = await foreign((made) => asking(made, { greet: ["name?"] }));
    const thread_id = await first.go();
    const [before] = await first.pending(thread_id);
    await first.remove(`/approvals/${before!.approval_id}?wait=10`);
    const second = await first.again();
    expect(await second.pending(thread_id)).toEqual([]);
    expect(await second.statusOf(thread_id)).toBe("idle");
    expect(second.done.answers).toEqual([]);
  });
});

describe("decisions on a question of a graph's own", () => {
  it("have one winner, whoever comes at the same time", async () => {
    const { go, pending, decide, resume, done } = await foreign((made) => asking(made, { greet: ["name?"] }));
    const thread_id = await go();
    const { approval_id, interrupt_id } = (await pending(thread_id))[0]!;
    const answers = await Promise.all([
      ...["a", "b", "c"].map((message) => decide(approval_id, { type: "respond", message })),
      resume(thread_id, { [interrupt_id!]: "d" }),
    ]);
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(1);
    expect(done.answers).toHaveLength(1);
    for (const { status } of answers) expect([200, 404, 409]).toContain(status);
  });

  it("end with the run that is cancelled, and with a thread that goes", async () => {
    const { go, pending, get, remove, client } = await foreign((made) => asking(made, { greet: ["name?"] }));
    const [gone, cancelled] = [await go(), await go()];
    const [[lost], [open]] = [await pending(gone), await pending(cancelled)];
    await remove(`/threads/${gone}`);
    expect(await get(`/approvals/${lost!.approval_id}`)).toMatchObject({
      ...{ status: 410, body: { code: "erased" } },
    });
    await client.runs.cancel(cancelled, open!.run_id!, true);
    expect((await get(`/approvals/${open!.approval_id}`)).body["status"]).toBe("cancelled");
    expect(await pending()).toEqual([]);
    await client.runs.wait(cancelled, "agent", { input: null });
    expect(await pending(cancelled)).toHaveLength(1);
  });

  it("end with the branch that a fork leaves", async () => {
    const { go, pending, get, client } = await foreign((made) => asking(made, { greet: ["name?"] }));
    const thread_id = await go();
    const [open] = await pending(thread_id);
    const history = await client.threads.getHistory(thread_id);
    const checkpoint_id = history.at(-1)!.checkpoint.checkpoint_id!;
    await client.runs.wait(thread_id, "agent", { input: null, checkpointId: checkpoint_id });
    expect((await get(`/approvals/${open!.approval_id}`)).body["status"]).toBe("cancelled");
    const [other, ...others] = await pending(thread_id);
    expect([others, other?.approval_id === open!.approval_id]).toEqual([[], false]);
  });
});

describe("a graph that throws after it was answered", () => {
  it("leaves the decision as it stands, and the thread can be used again", async () => {
    const { go, pending, decide, get, statusOf, client } = await foreign((made) => failing(made));
    const thread_id = await go({});
    const [open] = await pending(thread_id);
    await decide(open!.approval_id, { type: "respond", message: "no number" });
    expect(await statusOf(thread_id)).toBe("error");
    expect(await pending(thread_id)).toEqual([]);
    const late = await decide(open!.approval_id, { type: "respond", message: "7" });
    expect([late.status, late.body["code"]]).toEqual([409, "already_decided"]);
    expect((await get(`/approvals/${open!.approval_id}`)).body).toMatchObject({ status: "responded" });
    await client.runs.wait(thread_id, "agent", { input: {} });
    const [next, ...others] = await pending(thread_id);
    expect(others).toEqual([]);
    await decide(next!.approval_id, { type: "respond", message: "7" });
    expect(await statusOf(thread_id)).toBe("idle");
  });
});
