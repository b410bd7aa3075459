import { randomUUID } from "node:crypto";
import { isoTime } from "../../desk/index.ts";
import { checkOverlay } from "../assistants/check-overlay.ts";
import { orderWith } from "../assistants/order-with.ts";
import type { ThreadRow } from "../database/tables.ts";
import { assertFewMessages } from "../guards/input-messages.ts";
import { assertMay } from "../identity/may.ts";
import type { Principal } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { emptyThread } from "../threads/new-thread.ts";
import { assertWebhook } from "../webhooks/allowed-hosts.ts";
import { assertOwnKeys } from "../threads/gate-state.ts";
import { assertHarmlessState } from "../threads/harmless.ts";
import { stateOf } from "../threads/thread-view.ts";
import { checkInput, checkStorable } from "./check-input.ts";
import { checkpointIdOf, intentOf, orderOf, startsAt, type Intent, type RunBody } from "./run-body.ts";
import { isAnswering } from "./answering-intent.ts";
import { beginJump } from "./jump.ts";
import type { GivenRun } from "./run-record.ts";
import type { Run } from "./run.ts";
import { threadToBe } from "./thread-to-be.ts";
import type { StreamMode } from "./stream-modes.ts";

/**
 * Begins what a body asks for on a thread: a run from an input, or one that acts on an answer.
 *
 * @param modes what its stream shall show; none when nobody reads it.
 * @throws {ServerError | DeskError} when it cannot. The thread is as it was then, and none was made.
 */
export async function beginRun(
  parts: ServerParts,
  thread_id: string,
  body: RunBody,
  modes: StreamMode[],
  by: Principal,
): Promise<Run> {
  const { manager } = parts;
  const intent = intentOf(body);
  await assertMay(parts, by, thread_id, isAnswering(intent) ? "answers" : "changes");
  if (isAnswering(intent)) assertAtOnce(body);
  const given = await givenRun(parts, body, { modes, by });
  await checkPolicy(parts, given);
  await checkBody(parts, body, intent, thread_id);
  if (intent.kind === "answer") parts.decisions.take(by);
  if (intent.kind === "input") await assertOwnKeys(parts, given.graph_id, intent.input);
  const checkpoint_id = checkpointIdOf(body);
  // What answers or goes out from a checkpoint is about what is there already.
  const mayMake = body.if_not_exists === "create" && !isAnswering(intent) && checkpoint_id === undefined;
  const thread = await threadToBe(parts, thread_id, { mayMake, by });
  const { row } = thread;
  if (row.graph_id !== null && row.graph_id !== given.graph_id) {
    const message = `This thread belongs to the graph "${row.graph_id}", not to "${given.graph_id}".`;
    throw new ServerError("graph_mismatch", message);
  }
  switch (intent.kind) {
    case "jump":
      return beginJump(parts, thread, intent, given);
    case "answer":
      return manager.answer(row, intent.answer, { ...given, ...(checkpoint_id && { checkpoint_id }) });
    case "input": {
      const fork = checkpoint_id && (await forkOf(parts, row, { checkpoint_id, input: intent.input }));
      return manager.start(await thread.made(), intent, { ...given, ...(fork && { checkpoint_id: fork }) });
    }
  }
}

/** Begins a run on a thread of its own. Nobody can answer it, so it fails closed unless its thread is kept. */
export async function beginAlone(...given: Parameters<typeof checkAlone>): Promise<Run> {
  const begin = await checkAlone(...given);
  return begin();
}

/** Checks a run on a thread of its own, so that several are begun together or none; what is returned begins it. */
export async function checkAlone(
  parts: ServerParts,
  body: RunBody,
  modes: StreamMode[],
  by: Principal,
): Promise<() => Promise<Run>> {
  const intent = intentOf(body);
  if (intent.kind !== "input")
    throw new ServerError("invalid_request", "A run without a thread has nothing to resume. Send an input.");
  await checkBody(parts, body, intent);
  const given = await givenRun(parts, body, { modes, by });
  await checkPolicy(parts, given);
  await assertOwnKeys(parts, given.graph_id, intent.input);
  const isKept = body.on_completion === "keep";
  const { order } = given;
  const closed = isKept ? order : { ...order, context: { ...order.context, mode: "fail_closed" } };
  return async () => {
    const row = emptyThread(
      randomUUID(),
      {},
      { at: isoTime(parts.ports.clock), owner: by.id, ttl: parts.ttl },
    );
    await parts.ports.threads.add(row, by);
    return parts.manager.start(row, intent, { ...given, order: closed, isTemporary: !isKept });
  };
}

/** Refuses what would spoil the thread, before anything is stored. */
async function checkBody(
  { checkpointer, ports, limits }: ServerParts,
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
  assertFewMessages(intent.input, limits);
  await checkInput(checkpointer, intent.input, async () => {
    const row = thread_id === undefined ? undefined : await ports.threads.get(thread_id);
    const values = row && ((await stateOf(ports, row))?.values as { messages?: unknown } | undefined);
    return Array.isArray(values?.messages) ? (values.messages as unknown[]) : [];
  });
}

async function givenRun(
  parts: ServerParts,
  body: RunBody,
  { modes, by }: { modes: StreamMode[]; by: Principal },
): Promise<GivenRun> {
  assertWebhook(body.webhook, parts.mayReach);
  const assistant = await parts.assistants.resolve(body.assistant_id);
  const order = orderOf(body);
  const { interrupt_before, interrupt_after, stream_subgraphs } = body;
  return {
    ...{ graph_id: assistant.graph_id, assistant_id: assistant.assistant_id, by },
    // A run that goes on keeps what it began with, whatever its assistant says by now.
    order: intentOf(body).kind === "answer" ? order : orderWith(assistant, order),
    wishes: {
      modes,
      ...(stream_subgraphs && { subgraphs: true }),
      ...(interrupt_before && { interruptBefore: interrupt_before }),
      ...(interrupt_after && { interruptAfter: interrupt_after }),
    },
    metadata: body.metadata ?? {},
    strategy: body.multitask_strategy ?? "reject",
    webhook: body.webhook ?? null,
    starts_at: startsAt(body, parts.ports.clock),
  };
}

/** Refuses an overlay that the gate could not read, before anything is decided or begun. @throws {PolicyError} */
async function checkPolicy(parts: ServerParts, { graph_id, order }: GivenRun): Promise<void> {
  if (order.context === undefined && order.configurable === undefined) return;
  if (await parts.readsPolicy(graph_id)) checkOverlay(order, "run's context");
}

/** An answer is taken when it comes, and what waits for it goes on. @throws {ServerError} `invalid_request` */
function assertAtOnce({ after_seconds }: RunBody): void {
  if (!after_seconds) return;
  const message = "an answer is taken at once, and its run begins at once";
  throw new ServerError("invalid_request", `The request is not valid. "after_seconds": ${message}.`, {
    errors: [{ path: "after_seconds", message }],
  });
}

/**
 * The earlier checkpoint that a run goes out from; `undefined` for the newest one.
 *
 * @throws {ServerError} `checkpoint_not_found`; `not_supported` where a replay could reach a tool around its gate.
 */
async function forkOf(
  parts: ServerParts,
  row: ThreadRow,
  { checkpoint_id, input }: { checkpoint_id: string; input: unknown },
): Promise<string | undefined> {
  const { ports } = parts;
  const head: unknown = (await stateOf(ports, row))?.config.configurable?.["checkpoint_id"];
  if (head === checkpoint_id) return undefined;
  const { thread_id, graph_id } = row;
  const graph = graph_id === null ? null : await ports.graphs.get(graph_id);
  const found =
    graph && (await ports.enter(() => graph.getState({ configurable: { thread_id, checkpoint_id } })));
  if (graph_id === null || found?.metadata === undefined) {
    const message = `This thread has no checkpoint "${checkpoint_id.slice(0, 80)}".`;
    throw new ServerError("checkpoint_not_found", message);
  }
  // A new input begins anew; without one, what waits at that checkpoint is done again.
  if (input === null) await assertHarmlessState(parts, graph_id, found);
  return checkpoint_id;
}
