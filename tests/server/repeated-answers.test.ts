import { describe, expect, it } from "vitest";
import { bench, remove, resumeOf, runOf, textOf, until, type Bench } from "./bench.ts";

const policy = { version: 1 as const, review: { ask: "one-by-one" as const } };
const approve = resumeOf({ decisions: [{ type: "approve" }] });

/** Waits until a question is open, by the ledger alone: reading it over HTTP would be telling somebody of it. */
async function asked({ server }: Bench, thread_id: string, not?: string): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    const { approvals } = await server.ledger.approvals({ status: "pending", thread_id });
    id = approvals.find(({ approval_id }) => approval_id !== not)?.approval_id;
    return id !== undefined && (await settled(server, thread_id));
  });
  return id!;
}

async function settled({ ledger }: Bench["server"], thread_id: string): Promise<boolean> {
  const events = await ledger.events({ thread_id });
  return events.findLast(({ type }) => type.startsWith("run_"))?.type === "run_stopped";
}

async function onTwo() {
  const server = await bench([remove("a", "b"), { content: "done" }], { policy });
  const { body } = await server.post("/threads", {});
  const thread_id = textOf(body["thread_id"]);
  await server.post(`/threads/${thread_id}/runs`, runOf("go"));
  const first = await asked(server, thread_id);
  const answer = (path = "runs") => server.post(`/threads/${thread_id}/${path}`, approve);
  return { server, thread_id, first, answer };
}

describe("a bare answer that is sent again", () => {
  it("does not decide the next question, which nobody was told of", async () => {
    const { server, thread_id, first, answer } = await onTwo();
    await answer();
    const second = await asked(server, thread_id, first);
    const { status, body } = await answer("runs/wait");
    expect(status).toBe(200);
    expect(body["__interrupt__"]).toHaveLength(1);
    expect(server.effects.deleted).toEqual(["a"]);
    expect((await server.server.ledger.approval(second))?.status).toBe("pending");
  });

  it("decides the next question once a client was told of it", async () => {
    const { server, thread_id, first, answer } = await onTwo();
    await answer();
    await asked(server, thread_id, first);
    await server.get(`/threads/${thread_id}/state`);
    await answer("runs/wait");
    expect(server.effects.deleted).toEqual(["a", "b"]);
  });

  it("decides the next question when the answer before it told of that", async () => {
    const { server, answer } = await onTwo();
    expect((await answer("runs/wait")).body["__interrupt__"]).toHaveLength(1);
    await answer("runs/stream");
    expect(server.effects.deleted).toEqual(["a", "b"]);
  });
});
