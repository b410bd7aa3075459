import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import {
  getConfig,
  isCommand,
  isGraphBubbleUp,
  isGraphInterrupt,
  task,
  type Command as GraphCommand,
} from "@langchain/langgraph";
import { isDeeperThan, lastExecution, MAX_ARGS_DEPTH, type Args, type Command } from "../ledger/index.ts";
import { answerCommand } from "./answer-command.ts";
import type { Entry } from "./entry.ts";
import { readState, setTaskInput } from "./platform.ts";
import { asPartOf, runOf } from "./run-of.ts";
import { runInTime, TimedOut } from "./run-in-time.ts";
import { editedText } from "./texts.ts";
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
    const ran = await runInTask(entry, shelved, call);
    if ("output" in ran) return await succeeded(entry, ran.output);
    if (ran.hasEnded) return await failed(entry, ran.error);
    await entry.change({ type: "finish", state: "unknown", error: ran.error });
    return undefined;
  } catch (error) {
    if (isControlFlow(error)) await entry.change(...leaving(error));
    throw error;
  } finally {
    release();
  }
}

/** How running a tool went. A task that throws would end the whole run, so an error is told as a value. */
type Ran = { output: unknown } | { error: string; hasEnded: boolean };

/** The tool has a task of its own, so that questions it asks itself have positions of their own. */
async function runInTask(
  entry: Entry,
  shelved: ShelvedTool,
  { tool, args }: { tool: string; args: Args },
): Promise<Ran> {
  const { call } = entry.input;
  const state = readState(entry.config, entry.parts.stateKeys);
  const run = runOf(entry);
  const attempt = async (): Promise<Ran> => {
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
      asPartOf(run, () =>
        shelved.tool.invoke(
          { ...call, name: tool, args: structuredClone(args), type: "tool_call" },
          signal ? { ...runtime, signal } : runtime,
        ),
      ) as Promise<unknown>;
    try {
      return { output: await runInTime(invoke, shelved.risk ?? {}, config.signal) };
    } catch (error) {
      if (isControlFlow(error)) throw error;
      if (config.signal?.aborted) return { error: "The run was aborted while it ran.", hasEnded: false };
      return { error: messageOf(error), hasEnded: !(error instanceof TimedOut) || error.hasStopped };
    }
  };
  let running: Promise<Ran> | undefined;
  const number = entry.call ? (lastExecution(entry.call)?.attempt ?? 1) : 1;
  // LangGraph keeps what a task of a name gave, and another attempt must not get that of the one before.
  const name = number === 1 ? shelved.tool.name : `${shelved.tool.name} (${number})`;
  try {
    return await task(name, () => (running = attempt()))();
  } catch (error) {
    if (isControlFlow(error)) throw error;
    // On an abort LangGraph gives a task up at once, while the tool may go on.
    return running ?? { error: messageOf(error), hasEnded: true };
  }
}

async function succeeded(entry: Entry, output: unknown): Promise<Output | undefined> {
  const { call } = entry.input;
  if (isCommand(output)) {
    const { command, text } = answerCommand(output, call);
    await finish(entry, "succeeded", null, { ok: true, outcome: "done", result: text });
    return command;
  }
  const message = ToolMessage.isInstance(output)
    ? output
    : new ToolMessage({ content: textOf(output), tool_call_id: call.id, name: call.name });
  if (typeof message.content === "string") message.content += editNote(entry);
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
  // What is nested deeper could be stored and never read again, and the thread with it.
  if (isDeeperThan(message.artifact, MAX_ARGS_DEPTH)) message.artifact = undefined;
  if (isDeeperThan(message.content, MAX_ARGS_DEPTH)) message.content = text;
  // A tool's own artifact is the tool's business; ours stands where there is none.
  message.artifact ??= artifactOf(entry.call, isOk ? "done" : "failed");
  return standing ? message : undefined;
}

/** The model wrote another call than the one that ran, and must not believe its own. */
function editNote(entry: Entry): string {
  const isEdited = entry.call?.approvals.some(({ status }) => status === "edited") ?? false;
  if (!isEdited) return "";
  const { name, args } = entry.effective();
  return `\n\n${editedText(name, args)}`;
}

async function failed(entry: Entry, text: string): Promise<Output | undefined> {
  await finish(entry, "failed", text, { ok: false, outcome: "failed", error: `Error: ${text}` });
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : textOf(error);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return String(value);
  }
}
