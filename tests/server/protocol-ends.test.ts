import { Command, END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, remove, until } from "./bench.ts";
import { follow, TRANSPORTS } from "./follow.ts";

const steps = [remove("a"), { content: "done" }];
const input = { messages: [{ role: "user", content: "go" }] };
const clientOf = (url: string) => new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });

describe.each(TRANSPORTS)("a run that is followed over %s", (transport) => {
  it("tells why it failed", async () => {
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("work", () => {
        throw new Error("The work is broken.");
      })
      .addEdge(START, "work")
      .addEdge("work", END)
      .compile();
    const { url, errors } = await bench(steps, { config: { graphs: { agent: graph } } });
    const { stream, heard, lifecycle } = follow(clientOf(url), "t", transport);
    await stream.run.start({ input });
    await until(() => lifecycle().includes("failed"));
    const end = heard.find(({ data, namespace }) => namespace.length === 0 && data["event"] === "failed");
    expect(end?.data).toEqual({ event: "failed", graph_name: "agent", error: "The work is broken." });
    expect(errors).toEqual([]);
    const again = await stream.run.start({ input });
    await until(() => lifecycle().filter((event) => event === "failed").length === 2);
    expect(heard.at(-1)?.id).toContain(again.run_id);
  });

  it("ends when it is cancelled, and waits for nobody", async () => {
    const { url, effects, pending } = await bench(steps);
    const client = clientOf(url);
    const { stream, lifecycle } = follow(client, "t", transport);
    let letGo = (): void => undefined;
    effects.gate = new Promise((resolve) => (letGo = resolve));
    await stream.run.start({ input });
    await until(() => lifecycle().includes("interrupted"));
    const [asked] = stream.interrupts;
    await stream.input.respond({
      namespace: [],
      interrupt_id: asked!.interruptId,
      response: { type: "approve" },
    });
    await until(() => effects.begun === 1);
    const [run] = await client.runs.list("t", { limit: 1 });
    const cancelled = client.runs.cancel("t", run!.run_id);
    await until(() => lifecycle().length === 4);
    letGo();
    await cancelled;
    expect(lifecycle()).toEqual(["running", "interrupted", "running", "interrupted"]);
    expect(await pending()).toEqual([]);
  });

  it("waits for the one before, unless it is not to wait", async () => {
    const { url, effects } = await bench([
      remove("a"),
      { content: "one" },
      { content: "two" },
      { content: "three" },
    ]);
    const client = clientOf(url);
    const { stream, lifecycle, heard } = follow(client, "t", transport);
    let letGo = (): void => undefined;
    effects.gate = new Promise((resolve) => (letGo = resolve));
    await stream.run.start({ input });
    await until(() => stream.interrupts.length === 1);
    const { interruptId: interrupt_id } = stream.interrupts[0]!;
    await stream.input.respond({ namespace: [], interrupt_id, response: { type: "approve" } });
    await until(() => effects.begun === 1);
    const waiting = await stream.run.start({ input });
    await expect(stream.run.start({ input, multitaskStrategy: "reject" })).rejects.toMatchObject({
      code: "thread_busy",
    });
    letGo();
    await until(() => lifecycle().length === 6);
    expect(lifecycle()).toEqual(["running", "interrupted", "running", "completed", "running", "completed"]);
    expect(heard.at(-1)?.id).toContain(waiting.run_id);
  });
});

describe("a RemoteGraph", () => {
  it("streams the newer events of an agent that lives here", async () => {
    const { url, pending, effects } = await bench(steps);
    const graph = new RemoteGraph({ graphId: "agent", url });
    const config = { version: "v3", configurable: { thread_id: "t" } } as const;
    const told = (await (graph.streamEvents(input, config as never) as unknown)) as {
      output: Promise<unknown>;
      interrupted: boolean;
      abort: () => void;
    };
    expect(await told.output).toMatchObject({ messages: [{ content: "go" }, {}] });
    await until(() => told.interrupted);
    const resume = new Command({ resume: { type: "approve" } });
    const answered = graph.streamEvents(
      resume,
      config as never,
      undefined as never,
    ) as unknown as Promise<unknown>;
    await expect(answered).rejects.toMatchObject({ code: "not_supported" });
    expect(await pending()).toHaveLength(1);
    expect(effects.begun).toBe(0);
    told.abort();
  });
});
