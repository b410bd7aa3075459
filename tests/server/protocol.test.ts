import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, remove, until, type BenchOptions } from "./bench.ts";
import { follow, TRANSPORTS } from "./follow.ts";

const steps = [remove("a", "b"), { content: "done" }];
const input = { messages: [{ role: "user", content: "go" }] };

async function connected(options: BenchOptions = {}) {
  const server = await bench(steps, options);
  return { ...server, client: new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } }) };
}

describe.each(TRANSPORTS)("the streaming protocol over %s", (transport) => {
  it("runs to a pause, answers one question after the other, and ends", async () => {
    const { client, effects } = await connected();
    const { thread_id } = await client.threads.create();
    const { stream, lifecycle, heard } = follow(client, thread_id, transport);
    const { run_id } = await stream.run.start({ input });
    expect(run_id).toEqual(expect.any(String));
    await until(() => lifecycle().includes("interrupted"));
    expect(stream.interrupted).toBe(true);
    expect(stream.interrupts).toHaveLength(2);
    expect(await stream.output).toMatchObject({ messages: [{ content: "go" }, expect.anything()] });
    const [first, second] = stream.interrupts.map(({ interruptId }) => interruptId);
    await stream.input.respond({ namespace: [], interrupt_id: first!, response: { type: "approve" } });
    await until(() => lifecycle().length >= 4);
    expect(lifecycle()).toEqual(["running", "interrupted", "running", "interrupted"]);
    await stream.input.respond({ responses: [{ namespace: [], interrupt_id: second!, response: { type: "reject" } }] });
    await until(() => lifecycle().includes("completed"));
    expect(effects.deleted).toHaveLength(1);
  });
});
