import { randomUUID } from "node:crypto";
import { isoTime } from "../../desk/index.ts";
import { checkInput, checkStorable } from "./check-input.ts";
import type { GivenRun } from "./lanes.ts";
import { emptyThread, threadOf } from "../threads/new-thread.ts";
import { pendingOf } from "../threads/open-questions.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { checkpointIdOf, intentOf, modesOf, orderOf, type Intent, type RunBody } from "./run-body.ts";
import type { Run } from "./run.ts";
import type { ThreadRow } from "../database/tables.ts";
import { stateOf } from "../threads/thread-view.ts";

/**
 * Begins what a body asks for on a thread: a run from an input, or one that acts on an answer.
 *
 * @throws {ServerError | DeskError} when it cannot. The thread is as it was then.
 */
export async function beginRun(
  parts: ServerParts,
  thread_id: string,
  body: RunBody,
  isStreamed: boolean,
): Promise<Run> {
  const { manager } = parts;
  const given = givenRun(parts, body, isStreamed);
  const intent = intentOf(body);
  await checkBody(parts, body, intent, thread_id);
  const row = await rowOf(parts, thread_id, body);
  if (row.graph_id !== null && row.graph_id !== given.graph_id) {
    const message = `This thread belongs to the graph "${row.graph_id}", not to "${given.graph_id}".`;
    throw new ServerError("graph_mismatch", message);
  }
  const checkpoint_id = checkpointIdOf(body);
  switch (intent.kind) {
    case "jump":
      throw await jumpError(parts, thread_id);
    case "answer":
      return manager.answer(row, intent.answer, given, checkpoint_id);
    case "input": {
      if (checkpoint_id !== undefined) await assertHead(parts, row, checkpoint_id);
      return manager.start(row, intent.input, { ...given, order: orderOf(body) });
    }
  }
}

/** Begins a run on a thread of its own. Nobody can answer it, so it fails closed unless its thread is kept. */
export async function beginAlone(
  parts: ServerParts,
  body: RunBody,
  isStreamed: boolean,
): Promise<{ run: Run; isKept: boolean }> {
  const intent = intentOf(body);
  if (intent.kind !== "input")
    throw new ServerError("invalid_request", "A run without a thread has nothing to resume. Send an input.");
  await checkBody(parts, body, intent);
  const given = givenRun(parts, body, isStreamed);
  const isKept = body.on_completion === "keep";
  const { order } = given;
  const closed = isKept ? order : { ...order, context: { ...order.context, mode: "fail_closed" } };
  const row = emptyThread(randomUUID(), {}, isoTime(parts.ports.clock));
  await parts.ports.threads.add(row);
  return { run: await parts.manager.start(row, intent.input, { ...given, order: closed }), isKept };
}

/** Refuses what would spoil the thread, before anything is stored. */
async function checkBody(
  { checkpointer, ports }: ServerParts,
  body: RunBody,
  intent: Intent,
  thread_id?: string,
): Promise<void> {
  const { context, configurable, metadata } = orderOf(body);
  await checkStorable(checkpointer, context, "context");
  await checkStorable(checkpointer, configurable, "config.configurable");
  await checkStorable(checkpointer, metadata, "metadata");
  if (intent.kind === "answer") await checkStorable(checkpointer, intent.answer, "command.resume");
  if (intent.kind !== "input") return;
  await checkInput(checkpointer, intent.input, async () => {
    const row = thread_id === undefined ? undefined : await ports.threads.get(thread_id);
    const values = row && ((await stateOf(ports, row))?.values as { messages?: unknown } | undefined);
    return Array.isArray(values?.messages) ? (values.messages as unknown[]) : [];
  });
}

function givenRun({ ports }: ServerParts, body: RunBody, isStreamed: boolean): GivenRun {
  const { interrupt_before, interrupt_after, stream_subgraphs } = body;
  return {
    ...ports.graphs.resolve(body.assistant_id),
    order: orderOf(body),
    wishes: {
      modes: isStreamed ? modesOf(body) : [],
      isStreamed,
      ...(stream_subgraphs && { subgraphs: true }),
      ...(interrupt_before && { interruptBefore: interrupt_before }),
      ...(interrupt_after && { interruptAfter: interrupt_after }),
    },
  };
}

async function rowOf(
  { ports }: ServerParts,
  thread_id: string,
  { if_not_exists }: RunBody,
): Promise<ThreadRow> {
  // Somebody else may create it in this moment: then theirs is taken.
  if (if_not_exists === "create") await ports.threads.add(emptyThread(thread_id, {}, isoTime(ports.clock)));
  return threadOf(ports, thread_id);
}

/** `goto` and `update` could reach a tool without its question. */
async function jumpError({ ports }: ServerParts, thread_id: string): Promise<ServerError> {
  const pending = (await pendingOf(ports.ledger, thread_id)).map(({ approval_id }) => approval_id);
  if (pending.length === 0)
    return new ServerError(
      "not_supported",
      '"command.goto" and "command.update" are not supported. Send an input.',
    );
  const message =
    '"command.goto" and "command.update" are refused while approvals are pending. Decide or withdraw them.';
  return new ServerError("approval_pending", message, { pending });
}

async function assertHead({ ports }: ServerParts, row: ThreadRow, checkpoint_id: string): Promise<void> {
  const state = await stateOf(ports, row);
  const head: unknown = state?.config.configurable?.["checkpoint_id"];
  if (head === checkpoint_id) return;
  throw new ServerError(
    "not_supported",
    '"checkpoint_id" is not the newest one. Forks and replays are not supported.',
  );
}
