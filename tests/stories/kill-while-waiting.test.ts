import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

const say = (content: string) => ({ messages: [{ role: "user", content }] });
const sdkOf = ({ url }: Server) =>
  new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } });

async function untilRun(server: Server, thread_id: string, run_id: string, status: string): Promise<void> {
  const { runs } = sdkOf(server);
  await until(async () => (await runs.get(thread_id, run_id)).status === status, `the run was ${status}`);
}

describe("a server that is killed while runs wait", () => {
  it("begins a queued run after its restart, once, behind the one that was cut off", async () => {
    const { start, effects } = story([calls(["note", "a"]), says("one"), calls(["note", "b"]), says("two")]);
    const first = await start(["model 1"]);
    const { threads, runs } = sdkOf(first);
    const { thread_id } = await threads.create();
    const live = await runs.create(thread_id, "agent", { input: say("first") });
    await first.at("model 1");
    const multitaskStrategy = "enqueue";
    const queued = await runs.create(thread_id, "agent", { input: say("second"), multitaskStrategy });
    await first.kill();

    const second = await start();
    await untilRun(second, thread_id, queued.run_id, "success");
    expect((await sdkOf(second).runs.get(thread_id, live.run_id)).status).toBe("success");
    expect(effects()).toEqual(["note a", "note b"]);
    expect(await second.messages(thread_id)).toEqual([
      ...["human: first", "ai: ", "tool: note: a", "ai: one"],
      ...["human: second", "ai: ", "tool: note: b", "ai: two"],
    ]);
    expect(await second.status(thread_id)).toBe("idle");
    await second.kill();

    const third = await start();
    expect(await third.messages(thread_id)).toHaveLength(8);
    expect(effects()).toHaveLength(2);
    expect(third.stderr()).toBe("");
  });

  it("begins a run whose time came meanwhile, and one whose time comes later, each once", async () => {
    const { start, effects } = story([calls(["note", "$text"]), says("done")]);
    const first = await start();
    const { threads, runs } = sdkOf(first);
    const at = async (text: string, afterSeconds: number) => {
      const { thread_id } = await threads.create();
      return runs.create(thread_id, "agent", { input: say(text), afterSeconds });
    };
    const [soon, later] = [await at("soon", 1), await at("later", 600)];
    await first.kill();
    await new Promise((resolve) => setTimeout(resolve, 1_100));

    const second = await start();
    await untilRun(second, soon.thread_id, soon.run_id, "success");
    expect(effects()).toEqual(["note soon"]);
    expect((await sdkOf(second).runs.get(later.thread_id, later.run_id)).status).toBe("pending");
    expect(await second.status(later.thread_id)).toBe("idle");
  });
});

describe("a server that is killed while a run is cancelled", () => {
  it("leaves it cancelled, and lets the thread take new runs", async () => {
    const { start, effects } = story([calls(["note", "a"]), says("two"), says("three")]);
    const first = await start(["model 0"]);
    const { threads, runs } = sdkOf(first);
    const { thread_id } = await threads.create();
    const live = await runs.create(thread_id, "agent", { input: say("first") });
    await first.at("model 0");
    // The model does not hear of it and stands where it stands.
    await runs.cancel(thread_id, live.run_id, false);
    await first.kill();

    const second = await start();
    expect(await second.status(thread_id)).toBe("idle");
    expect((await sdkOf(second).runs.get(thread_id, live.run_id)).status).toBe("interrupted");
    expect(effects()).toEqual([]);
    await sdkOf(second).runs.wait(thread_id, "agent", { input: say("second") });
    expect(effects()).toEqual(["note a"]);
    expect(await second.status(thread_id)).toBe("idle");
  });

  it("does not run an approved tool again that stood in the middle", async () => {
    const { start, effects } = story([calls(["delete", "a"]), says("two")]);
    const first = await start(["before effect a"]);
    const thread_id = await first.begin();
    const { approval_id } = await first.pending(thread_id);
    const { body } = await first.post(`/approvals/${approval_id}/decision`, { type: "approve" });
    const run_id = body["run_id"] as unknown as string;
    await first.at("before effect a");
    await sdkOf(first).runs.cancel(thread_id, run_id, false);
    await first.kill();

    const second = await start();
    expect(await second.status(thread_id)).toBe("idle");
    expect((await sdkOf(second).runs.get(thread_id, run_id)).status).toBe("interrupted");
    expect(await second.approvals({ thread_id })).toEqual([]);
    await sdkOf(second).runs.wait(thread_id, "agent", { input: say("and now?") });
    expect(effects()).toEqual([]);
    const told = await second.messages(thread_id);
    expect(told.map((message) => message.split(":")[0])).toEqual(["human", "ai", "tool", "human", "ai"]);
    expect(await second.status(thread_id)).toBe("idle");
    expect((await second.get("/audit/verify")).body).toMatchObject({ ok: true });
    expect(second.stderr()).toBe("");
  });

  it("leaves it cancelled when it had stopped at a question, which was withdrawn already", async () => {
    const { start, effects } = story([calls(["delete", "a"]), says("two")]);
    const first = await start(["after approval_resolved"]);
    const { threads, runs } = sdkOf(first);
    const { thread_id } = await threads.create();
    const { run_id } = await runs.create(thread_id, "agent", { input: say("first") });
    await runs.join(thread_id, run_id);
    runs.cancel(thread_id, run_id, true).catch(() => undefined);
    await first.at("after approval_resolved");
    await first.kill();

    const second = await start();
    expect(await second.status(thread_id)).toBe("idle");
    expect((await sdkOf(second).runs.get(thread_id, run_id)).status).toBe("interrupted");
    expect(await second.messages(thread_id)).toHaveLength(2);
    expect((await second.approvals({ thread_id, status: "all" })).map(({ status }) => status)).toEqual([
      "cancelled",
    ]);
    await sdkOf(second).runs.wait(thread_id, "agent", { input: say("and now?") });
    expect(await second.status(thread_id)).toBe("idle");
    expect(effects()).toEqual([]);
    expect(second.stderr()).toBe("");
  });
});
