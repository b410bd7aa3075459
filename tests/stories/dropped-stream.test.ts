import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { openStream } from "../server/sse.ts";
import { calls, says } from "./plan.ts";
import { sockets } from "./sockets.ts";
import { story } from "./story.ts";
import { until } from "./until.ts";

describe("a client that drops its streams before the pause", () => {
  it("sees the pending approval when it comes back, and leaves nothing behind in the server", async () => {
    const { start, effects } = story([calls(["delete", "a"]), says("done")]);
    const server = await start(["model 0"]);
    const before = sockets(server.pid);

    const sdk = new Client({ apiUrl: server.url, apiKey: null });
    const { thread_id } = await sdk.threads.create();
    const leaving = new AbortController();
    const events = await openStream(`${server.url}/events?thread_id=${thread_id}`);
    const reading = (async () => {
      const input = { messages: [{ role: "user", content: "go" }] };
      const options = { input, streamMode: "values" as const, signal: leaving.signal };
      for await (const event of sdk.runs.stream(thread_id, "agent", options))
        expect(event.event).not.toBe("error");
    })();
    const left = reading.catch((error: unknown) => {
      if (!leaving.signal.aborted) throw error;
    });
    await server.at("model 0");
    expect(sockets(server.pid)).toBeGreaterThan(before + 1);
    leaving.abort();
    events.close();
    await Promise.all([left, events.ended]);
    expect(await server.status(thread_id)).toBe("busy");
    server.release("model 0");

    const approval = await server.pending(thread_id);
    await server.untilStatus(thread_id, "interrupted");
    const state = await sdk.threads.getState(thread_id);
    expect(state.tasks.flatMap(({ interrupts }) => interrupts)).toMatchObject([
      { value: { approval: { approval_id: approval.approval_id } } },
    ]);
    // A connection that is kept for the next request is closed after 5 s without one.
    await until(() => sockets(server.pid) === before, "all sockets were closed");

    for await (const event of sdk.runs.stream(thread_id, "agent", {
      command: { resume: { [approval.approval_id]: { type: "approve" } } },
    }))
      expect(event.event).not.toBe("error");
    expect(effects()).toEqual(["delete a"]);
    expect(await server.status(thread_id)).toBe("idle");
    expect(server.stderr()).toBe("");
  });
});
