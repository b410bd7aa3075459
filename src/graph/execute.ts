import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import {
  getConfig,
  isCommand,
  isGraphBubbleUp,
  isGraphInterrupt,
  task,
  type Command as GraphCommand,
} from "@langchain/langgraph";
import type { Args, Command } from "../ledger/index.ts";
import type { Entry } from "./entry.ts";
import { readState, setTaskInput } from "./platform.ts";
import { runInTime, TimedOut } from "./run-in-time.ts";
import { artifactOf, recordedMessage } from "./tool-message.ts";
import type { ShelvedTool } from "./tool-shelf.ts";

type Output = BaseMessage | GraphCommand;

/**
 * Runs a claimed call and records how it went. A tool's error is its result; only LangGraph's own control flow, such
 * as a question of the tool's own, leaves through here.
 *
 * @param release gives the claim back; always called.
 */
export async function execute(
  entry: Entry,
  shelved: ShelvedTool,
  call: { tool: string; args: Args },
  release: () => void,
): Promise<Output | undefined> {
  try {
    const output = await runInTask(entry, shelved, call);
    return await succeeded(entry, output);
  } catch (error) {
    if (isControlFlow(error)) {
      await entry.change(...leaving(error));
      throw error;
    }
    if (error instanceof TimedOut && !error.hasStopped) {
      await entry.change({ type: "finish", state: "unknown", error: error.message });
      return undefined;
    }
    return await failed(entry, error);
  } finally {
    release();
  }
}

/** The tool has a task of its own, so that questions it asks itself have positions of their own. */
function runInTask(
  entry: Entry,
  shelved: ShelvedTool,
  { tool, args }: { tool: string; args: Args },
): Promise<unknown> {
  const { call } = entry.input;
  const state = readState(entry.config, entry.parts.stateKeys);
  const body = async (): Promise<unknown> => {
    const config = getConfig();
    setTaskInput(config, state);
    const runtime = {
      ...config,
      state,
      toolCallId: call.id,
      config,
      context: config.context ?? entry.config.context,
      store: config.store ?? entry.config.store ?? null,
      writer: config.writer ?? entry.config.writer ?? null,
    };
    const invoke = (signal: AbortSignal | undefined): Promise<unknown> =>
      shelved.tool.invoke(
        { ...call, name: tool, args: structuredClone(args), type: "tool_call" },
        signal ? { ...runtime, signal } : runtime,
      ) as Promise<unknown>;
    return runInTime(invoke, shelved.risk ?? {}, config.signal);
  };
  return task(shelved.tool.name, body)();
}

async function succeeded(entry: Entry, output: unknown): Promise<Output | undefined> {
  const { call } = entry.input;
  if (isCommand(output)) {
    await finish(entry, "succeeded", null, {
      ok: true,
      outcome: "done",
      result: textOf(output.update ?? ""),
    });
    return output;
  }
  const message = ToolMessage.isInstance(output)
    ? output
    : new ToolMessage({ content: textOf(output), tool_call_id: call.id, name: call.name });
  const text = textOf(message.content);
  const isOk = message.status !== "error";
  await finish(entry, isOk ? "succeeded" : "failed", isOk ? null : text, {
    ok: isOk,
    outcome: isOk ? "done" : "failed",
    ...(isOk ? { result: text } : { error: text }),
  });
  const standing = entry.call?.result;
  // Another process may have declared this execution lost meanwhile, and a person may have said what became of it.
  if (standing && standing.text !== text) return recordedMessage(entry, standing);
  message.tool_call_id = call.id;
  message.name = call.name;
  // A tool's own artifact is the tool's business; ours stands where there is none.
  message.artifact ??= artifactOf(entry.call, isOk ? "done" : "failed");
  return standing ? message : undefined;
}

async function failed(entry: Entry, error: unknown): Promise<Output | undefined> {
  const text = error instanceof Error ? error.message : String(error);
  const message = `Error: ${text}`;
  await finish(entry, "failed", text, { ok: false, outcome: "failed", error: message });
  const standing = entry.call?.result;
  return standing ? recordedMessage(entry, standing) : undefined;
}

async function finish(
  entry: Entry,
  state: "succeeded" | "failed",
  error: string | null,
  data: (Command & { type: "answer" })["data"],
): Promise<void> {
  await entry.change({ type: "finish", state, error }, { type: "answer", data });
}

function isControlFlow(error: unknown): error is Error {
  return error instanceof Error && isGraphBubbleUp(error);
}

/** A question of the tool's own pauses it; any other control flow, such as a hand-over, ends it. */
function leaving(error: Error): Command[] {
  if (isGraphInterrupt(error) || error.name === "GraphDrained") return [{ type: "pause" }];
  return [
    { type: "finish", state: "succeeded", error: null },
    { type: "answer", data: { ok: true, outcome: "done", result: "Handed over." } },
  ];
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return String(value);
  }
}
