import { randomUUID } from "node:crypto";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApprovalAgent, openStore, scriptedModel } from "../../src/index.ts";
import { tempFolder } from "../ledger/temp-folder.ts";

const newPath = tempFolder();

describe("LangGraph's checkpoints in the store", () => {
  let store: Awaited<ReturnType<typeof openStore>>;
  beforeEach(async () => {
    store = await openStore(`file:${newPath()}`);
  });
  afterEach(() => store.close());

  const agent = () =>
    createApprovalAgent({
      model: scriptedModel(Array.from({ length: 100 }, (_, turn) => ({ content: `answer ${turn}` }))),
      tools: [],
      ...store,
    });
  const textsOf = (values: unknown) =>
    (values as { messages: BaseMessage[] }).messages.map(({ text }) => text);
  const say = (content: string) => ({ messages: [new HumanMessage(content)] });

  it("gives the history of messages as the inherited way does, wherever the thread is read", async () => {
    const graph = agent();
    const config = { configurable: { thread_id: randomUUID() } };
    // Far enough for a snapshot of the whole list to stand in the middle.
    for (let turn = 0; turn < 60; turn += 1) await graph.invoke(say(`question ${turn}`), config);
    const inherited = (one: object) =>
      BaseCheckpointSaver.prototype.getDeltaChannelHistory.call(store.checkpointer, {
        config: one,
        channels: ["messages"],
      });
    let seeds = 0;
    const places = [];
    for await (const { config: at } of store.checkpointer.list(config)) places.push(at);
    for (const at of places.filter((_, index) => index % 9 === 0)) {
      const expected = await inherited(at);
      const found = await store.checkpointer.getDeltaChannelHistory({ config: at, channels: ["messages"] });
      expect(found).toEqual(expected);
      if (found["messages"]?.seed !== undefined) seeds += 1;
    }
    expect(seeds).toBeGreaterThan(1);
    expect(await store.checkpointer.getDeltaChannelHistory({ config, channels: ["messages"] })).toEqual(
      await inherited(config),
    );
  });

  it("follows a fork along its own branch", async () => {
    const graph = agent();
    const config = { configurable: { thread_id: randomUUID() } };
    await graph.invoke(say("one"), config);
    const { config: fork } = await graph.getState(config);
    await graph.invoke(say("left"), config);
    await graph.invoke(say("right"), fork);
    const state = await graph.getState(config);
    expect(textsOf(state.values)).toEqual(["one", "answer 0", "right", "answer 1"]);
  });

  it("knows no history of a thread that has none", async () => {
    const config = { configurable: { thread_id: "nobody" } };
    expect(await store.checkpointer.getDeltaChannelHistory({ config, channels: ["messages"] })).toEqual({
      messages: { writes: [] },
    });
  });

  it("can be read by LangGraph's own saver, and the other way round", async () => {
    const path = newPath();
    await (await openStore(`file:${path}`)).close();
    const config = { configurable: { thread_id: randomUUID() } };
    const stock = SqliteSaver.fromConnString(path);
    await createApprovalAgent({
      model: scriptedModel([{ content: "from the stock saver" }]),
      tools: [],
      checkpointer: stock,
    }).invoke(say("hello"), config);
    stock.db.close();
    const opened = await openStore(`file:${path}`);
    const values = await createApprovalAgent({
      model: scriptedModel([{ content: "not said" }, { content: "from ours" }]),
      tools: [],
      ...opened,
    }).invoke(say("again"), config);
    await opened.close();
    expect(textsOf(values)).toEqual(["hello", "from the stock saver", "again", "from ours"]);
  });
});
