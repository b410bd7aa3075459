import { AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import type { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { loadModel, scriptedModel, withoutRepairedCalls } from "../../src/models/index.ts";
import { startOpenAiServer } from "./openai-server.ts";
import type { Answer, OpenAiServer } from "./openai-server.ts";

const deleteFile = tool(() => "", {
  name: "delete_file",
  description: "Deletes.",
  schema: z.object({ path: z.string() }),
});
const TWO_CALLS = [
  { id: "call_a", name: "delete_file", args: '{"path":"a.txt"}' },
  { id: "call_b", name: "delete_file", args: '{"path":"b.txt"}' },
];

let server: OpenAiServer | undefined;

beforeEach(() => {
  for (const name of ["OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_API_KEY"]) vi.stubEnv(name, undefined);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.stop();
  server = undefined;
});

async function openAi(answers: Answer[]) {
  server = await startOpenAiServer(answers);
  vi.stubEnv("OPENAI_API_KEY", "sk-test");
  vi.stubEnv("OPENAI_BASE_URL", server.baseUrl);
  const model = await loadModel("openai:test-model", { maxRetries: 0 });
  if (model.bindTools === undefined) throw new Error("The model cannot bind tools.");
  return { model, bound: model.bindTools([deleteFile]), server };
}

async function gather(
  stream: AsyncIterable<AIMessageChunk>,
): Promise<{ pieces: string[]; whole: AIMessageChunk }> {
  let whole: AIMessageChunk | undefined;
  const pieces: string[] = [];
  for await (const piece of stream) {
    whole = whole?.concat(piece) ?? piece;
    if (piece.text !== "") pieces.push(piece.text);
  }
  return { pieces, whole: whole ?? new AIMessageChunk("") };
}

const ask = [new HumanMessage("go")];

describe("loadModel", () => {
  it("gives the rehearsal model without a key", async () => {
    expect((await loadModel("rehearsal"))._llmType()).toBe("rehearsal");
  });

  it("returns a chat model as it is", async () => {
    const model = scriptedModel([]);
    expect(await loadModel(model)).toBe(model);
  });

  it.each([
    ["nope:x", "model_unknown", /Unknown provider "nope".*openai/u],
    ["weird", "model_unknown", /"weird" cannot be loaded.*"rehearsal"/u],
    ["openai:", "model_unknown", /not of the form "provider:model"/u],
    ["", "model_unknown", /not of the form/u],
    ["anthropic:claude-sonnet-4-5", "model_package_missing", /npm install @langchain\/anthropic/u],
    ["openai:gpt-5", "model_key_missing", /OPENAI_API_KEY/u],
    ["gpt-5", "model_key_missing", /OPENAI_API_KEY/u],
  ])("refuses %j with %s, in one line", async (spec, code, message) => {
    const loading = loadModel(spec);
    await expect(loading).rejects.toMatchObject({ name: "ModelError", code });
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toThrow(/^[^\n]*$/u);
  });

  it("takes a key that is handed in", async () => {
    expect((await loadModel("openai:gpt-5", { apiKey: "sk-x" })).constructor.name).toBe("ChatOpenAI");
  });

  it("is not changed by what a run's configurable says", async () => {
    const { model, server: running } = await openAi([{ content: "hi" }]);
    await model.invoke(ask, { configurable: { model: "other", modelProvider: "other" } });
    expect(running.requests[0]?.model).toBe("test-model");
  });
});

describe("a model over HTTP", () => {
  it("answers, and sees names, descriptions and schemas of its tools", async () => {
    const { bound, server: running } = await openAi([{ content: "hello there" }]);
    expect((await bound.invoke(ask)).text).toBe("hello there");
    expect(running.requests[0]?.tools?.map((each) => each.function.name)).toEqual(["delete_file"]);
    expect(running.authorizations).toEqual(["Bearer sk-test"]);
  });

  it("streams text in pieces", async () => {
    const { bound, server: running } = await openAi([{ content: "one two three" }]);
    expect((await gather(await bound.stream(ask))).pieces).toEqual(["one ", "two ", "three"]);
    expect(running.requests[0]?.stream).toBe(true);
  });

  it.each([["whole"], ["streamed"]])("makes parallel calls, %s", async (way) => {
    const { bound } = await openAi([{ calls: TWO_CALLS }]);
    const message: AIMessage =
      way === "whole" ? await bound.invoke(ask) : (await gather(await bound.stream(ask))).whole;
    expect(message.tool_calls?.map(({ id, args }) => [id, args])).toEqual([
      ["call_a", { path: "a.txt" }],
      ["call_b", { path: "b.txt" }],
    ]);
    expect(withoutRepairedCalls(message)).toBe(message);
  });

  it.each([["whole"], ["streamed"]])("keeps a garbled call apart from a good one, %s", async (way) => {
    const garbled = { id: "call_x", name: "delete_file", args: "path is a.txt" };
    const { bound } = await openAi([{ calls: [TWO_CALLS[0]!, garbled] }]);
    const message: AIMessage =
      way === "whole" ? await bound.invoke(ask) : (await gather(await bound.stream(ask))).whole;
    expect(message.tool_calls?.map((call) => call.id)).toEqual(["call_a"]);
    expect(message.invalid_tool_calls).toMatchObject([{ id: "call_x", args: "path is a.txt" }]);
  });

  it("does not pass off arguments that broke off in the stream as whole", async () => {
    const { bound } = await openAi([{ calls: TWO_CALLS, cut: true }]);
    const { whole } = await gather(await bound.stream(ask));
    const honest = withoutRepairedCalls(whole);
    expect(honest.tool_calls?.map((call) => call.id)).toEqual(["call_a"]);
    expect(honest.invalid_tool_calls).toMatchObject([{ id: "call_b", args: '{"path":' }]);
  });

  it.each([[401], [500]])("fails with the server's status %i and does not answer", async (status) => {
    const { bound } = await openAi([{ status }]);
    await expect(bound.invoke(ask)).rejects.toMatchObject({ status });
  });
});
