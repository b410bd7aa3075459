import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

interface Part {
  event: string;
  data: unknown;
}

interface Values {
  messages: { type: string; content: string }[];
  __interrupt__?: { value: { approval: { kind: string } } }[];
}

const input = { messages: [{ role: "user", content: "go" }] };
const portOf = ({ url }: Server) => ({ port: Number(new URL(url).port) });

/** The published client as anybody uses it: it comes again by itself when its connection breaks. */
const sdkOf = ({ url }: Server) => new Client({ apiUrl: url, apiKey: null });

async function read(parts: AsyncIterable<unknown>, all: Part[] = []): Promise<Part[]> {
  for await (const part of parts) all.push(part as Part);
  return all;
}

const lastValues = (parts: Part[]): Values | undefined =>
  parts.findLast(({ event }) => event === "values")?.data as Values | undefined;

describe("a client whose server is killed while it streams a run", () => {
  it("gets the rest from the next server by its own reconnection", async () => {
    const { start, effects } = story([calls(["read", "r"]), calls(["note", "n"]), says("done")]);
    const first = await start(["model 2"]);
    const { thread_id } = await sdkOf(first).threads.create();
    const seen: Part[] = [];
    const reading = read(sdkOf(first).runs.stream(thread_id, "agent", { input, streamMode: "values" }), seen);
    await first.at("model 2");
    await until(() => lastValues(seen)?.messages.length === 5, "the client had read what there was");
    await first.kill();
    const second = await start([], portOf(first));

    const parts = await reading;
    expect(parts.filter(({ event }) => event === "error")).toEqual([]);
    expect(parts.at(-1)?.event).toBe("end");
    expect(lastValues(parts)?.messages.map(({ content }) => content)).toEqual([
      ...["go", "", "read: r", "", "note: n", "done"],
    ]);
    const runs = parts.filter(({ event }) => event === "metadata").map(({ data }) => data);
    const { run_id } = runs[0] as { run_id: string };
    expect(runs).toEqual([
      { run_id, attempt: 1 },
      { run_id, attempt: 2 },
    ]);
    expect(effects()).toEqual(["read r", "note n"]);
    expect(await second.status(thread_id)).toBe("idle");
    expect((await sdkOf(second).runs.get(thread_id, run_id)).status).toBe("success");
    expect(second.stderr()).toBe("");
  });

  it("is asked what happened when a tool was killed in the middle, and ends there", async () => {
    const { start, effects } = story([calls(["delete", "a"]), says("done")]);
    const first = await start(["before effect a"]);
    const thread_id = await first.begin();
    const command = { resume: { type: "approve" } };
    const reading = read(sdkOf(first).runs.stream(thread_id, "agent", { command, streamMode: "values" }));
    await first.at("before effect a");
    await first.kill();
    const second = await start([], portOf(first));

    const parts = await reading;
    expect(parts.at(-1)?.event).toBe("end");
    expect(lastValues(parts)?.__interrupt__).toMatchObject([{ value: { approval: { kind: "outcome" } } }]);
    expect(await second.status(thread_id)).toBe("interrupted");
    expect(effects()).toEqual([]);
    const { approval_id } = await second.pending(thread_id);
    await second.decide(approval_id, { type: "respond", message: "it is gone" });
    expect(await second.status(thread_id)).toBe("idle");
    expect(effects()).toEqual([]);
  });

  it("gets the question that its run came to before", async () => {
    const { start } = story([calls(["delete", "a"]), says("done")]);
    const first = await start(["after approval_requested"]);
    const { thread_id } = await sdkOf(first).threads.create();
    const reading = read(sdkOf(first).runs.stream(thread_id, "agent", { input, streamMode: "values" }));
    await first.at("after approval_requested");
    await first.kill();
    const second = await start([], portOf(first));

    expect(lastValues(await reading)?.__interrupt__).toHaveLength(1);
    await second.pending(thread_id);
    expect(await second.status(thread_id)).toBe("interrupted");
  });
});
