import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assertProviderValid, scriptedModel } from "../../src/models/index.ts";

const human = new HumanMessage("go");
const calling = (...ids: string[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id) => ({ name: "t", args: {}, id })) });
const answer = (id: string) => new ToolMessage({ content: "ok", tool_call_id: id });

async function gather(
  stream: AsyncIterable<AIMessageChunk>,
): Promise<{ pieces: number; whole: AIMessageChunk }> {
  let whole = new AIMessageChunk("");
  let pieces = 0;
  for await (const piece of stream) {
    whole = whole.concat(piece);
    pieces += 1;
  }
  return { pieces, whole };
}

describe("scriptedModel", () => {
  it("answers with the nth step when the history holds n AI messages", async () => {
    const model = scriptedModel([{ content: "zero" }, (messages) => ({ content: `saw ${messages.length}` })]);
    expect((await model.invoke([human])).text).toBe("zero");
    expect((await model.invoke([human, new AIMessage("zero"), human])).text).toBe("saw 3");
    expect(model.unused()).toEqual([]);
    expect(model.calls.map((history) => history.length)).toEqual([1, 3]);
  });

  it("does not answer without a step, and names the step and the last message", async () => {
    const model = scriptedModel([{ content: "zero" }]);
    const call = model.invoke([human, new AIMessage("zero"), new HumanMessage("and now?")]);
    await expect(call).rejects.toMatchObject({ code: "script_exhausted" });
    await expect(call).rejects.toThrow(/no step 1 .*human "and now\?"/u);
  });

  it("lists the steps that never answered", () => {
    const steps = [{ content: "a" }, { content: "b" }];
    expect(scriptedModel(steps).unused()).toEqual(steps);
  });

  it("gives calls ids that differ from step to step, and none where the script says null", async () => {
    const model = scriptedModel([
      {
        tool_calls: [
          { name: "t", args: { a: 1 } },
          { name: "t", args: {}, id: "mine" },
        ],
      },
      { tool_calls: [{ name: "t", args: {}, id: null }] },
    ]);
    const first = await model.invoke([human]);
    expect(first.tool_calls?.map((call) => call.id)).toEqual(["call_0_0", "mine"]);
    const second = await gather(await model.stream([human, first]));
    expect(second.whole.tool_calls).toMatchObject([{ name: "t", args: {} }]);
    expect(second.whole.tool_calls?.[0]?.id).toBeUndefined();
  });

  it("streams text and calls in pieces that add up to the same message", async () => {
    const model = scriptedModel([
      {
        content: "first the second",
        tool_calls: [
          { name: "read_file", args: { path: "a.txt" } },
          { name: "delete_file", args: { path: "b.txt" } },
        ],
        invalid_tool_calls: [{ name: "write_file", args: "no json" }],
      },
    ]);
    const whole = await model.invoke([human]);
    const streamed = await gather(await model.stream([human]));
    expect(streamed.pieces).toBeGreaterThan(6);
    expect(streamed.whole.text).toBe(whole.text);
    expect(streamed.whole.tool_calls).toEqual(whole.tool_calls);
    expect(streamed.whole.invalid_tool_calls).toMatchObject([
      { name: "write_file", args: "no json", id: "call_0_2" },
    ]);
  });

  it("records the tools it is bound to and still answers", async () => {
    const model = scriptedModel([{ content: "bound" }]);
    const t = tool(() => "", { name: "t", description: "d", schema: z.object({}) });
    expect((await model.bindTools([t]).invoke([human])).text).toBe("bound");
    expect(model.bound).toEqual([[t]]);
    expect(model.calls).toHaveLength(1);
  });

  it("refuses a dangling call when strict, and does not when it is not", async () => {
    const history = [human, calling("a"), new HumanMessage("next")];
    const steps = [{ content: "0" }, { content: "1" }];
    await expect(scriptedModel(steps, { strict: true }).invoke(history)).rejects.toMatchObject({
      code: "history_refused",
    });
    expect((await scriptedModel(steps).invoke(history)).text).toBe("1");
  });
});

describe("assertProviderValid", () => {
  it.each([
    ["an empty history", []],
    ["no calls", [new SystemMessage("s"), human, new AIMessage("hi")]],
    ["answers in any order", [human, calling("a", "b"), answer("b"), answer("a"), new AIMessage("done")]],
    ["an id that a later turn uses again", [human, calling("a"), answer("a"), calling("a"), answer("a")]],
  ])("accepts %s", (_, history) => {
    expect(() => assertProviderValid(history)).not.toThrow();
  });

  it.each([
    ["a call without an answer at the end", [human, calling("a")], /message 1 .*answers "a"/u],
    ["a call answered after a human message", [calling("a"), human, answer("a")], /message 0 /u],
    ["one of two calls unanswered", [calling("a", "b"), answer("a"), new AIMessage("x")], /answers "b"/u],
    ["a doubled answer", [calling("a"), answer("a"), answer("a")], /second tool message for the call "a"/u],
    ["an answer to no call", [human, answer("a")], /no such call/u],
    ["a late answer in a later turn", [calling("a"), answer("a"), human, answer("a")], /no such call/u],
    ["two calls with one id", [calling("a", "a"), answer("a")], /two of its calls have the id "a"/u],
    [
      "a call without an id",
      [new AIMessage({ content: "", tool_calls: [{ name: "t", args: {} }] })],
      /has no id/u,
    ],
    [
      "an answer to a garbled call that is not among the calls",
      [new AIMessage({ content: "", invalid_tool_calls: [{ name: "t", args: "{", id: "a" }] }), answer("a")],
      /no such call/u,
    ],
  ])("refuses %s", (_, history, message) => {
    expect(() => assertProviderValid(history)).toThrow(message);
  });
});
