import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { follow, TRANSPORTS } from "../server/follow.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

const input = { messages: [{ role: "user", content: "go" }] };
const portOf = ({ url }: Server) => ({ port: Number(new URL(url).port) });
const sdkOf = ({ url }: Server) => new Client({ apiUrl: url, apiKey: null });

it("lets a client that streams a run go on over an orderly restart", async () => {
  const { start, effects } = story([calls(["read", "r"]), calls(["note", "n"]), says("done")]);
  const first = await start(["model 1"]);
  const { thread_id } = await sdkOf(first).threads.create();
  const parts: { event: string; data: unknown }[] = [];
  const reading = (async () => {
    const run = sdkOf(first).runs.stream(thread_id, "agent", { input, streamMode: "values" });
    for await (const part of run) parts.push(part);
  })();
  await first.at("model 1");
  const stopping = first.terminate();
  first.release("model 1");
  expect((await stopping).code).toBe(0);
  const second = await start([], portOf(first));

  await reading;
  expect(parts.filter(({ event }) => event === "error")).toEqual([]);
  expect(parts.at(-1)?.event).toBe("end");
  expect(parts.findLast(({ event }) => event === "values")?.data).toMatchObject({
    messages: [{}, {}, {}, {}, {}, { content: "done" }],
  });
  expect(effects()).toEqual(["read r", "note n"]);
  expect(await second.status(thread_id)).toBe("idle");
  expect(first.stderr() + second.stderr()).toBe("");
});

describe.each(TRANSPORTS)(
  "a client that follows a thread over %s while the server is killed",
  (transport) => {
    it("hears the run's end, or its question, from the next server", async () => {
      const { start, effects } = story([calls(["note", "n"]), calls(["delete", "a"]), says("done")]);
      const first = await start(["model 1"]);
      const { thread_id } = await sdkOf(first).threads.create();
      const { stream, heard, lifecycle } = follow(sdkOf(first), thread_id, transport);
      await stream.run.start({ input });
      await first.at("model 1");
      // The client comes again with those subscriptions that were confirmed.
      await until(() => heard.some(({ method }) => method === "values"), "the client had subscribed");
      await first.kill();
      const second = await start([], portOf(first));

      await until(() => lifecycle().includes("interrupted"), "the client heard of the pause", 20_000);
      expect(stream.interrupts).toHaveLength(1);
      const { approval_id } = await second.pending(thread_id);
      await second.decide(approval_id, { type: "approve" });
      await until(() => lifecycle().includes("completed"), "the client heard of the end", 20_000);
      expect(effects()).toEqual(["note n", "delete a"]);
    });
  },
);
