import { decider } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { assertOwnKeys } from "../threads/gate-state.ts";
import { assertHarmlessJump, assertStateKeys } from "../threads/harmless.ts";
import { pendingOf } from "../threads/open-questions.ts";
import { resolveThread } from "../threads/resolve-thread.ts";
import { stateOf } from "../threads/thread-view.ts";
import { checkInput } from "./check-input.ts";
import type { GivenRun } from "./run-record.ts";
import type { Run } from "./run.ts";
import type { ThreadToBe } from "./thread-to-be.ts";

/** LangGraph's `goto` and `update`, as a client sends them. */
export interface Jump {
  goto?: unknown;
  update?: unknown;
  /** Whether an answer stands beside it: what that would be for is not clear. */
  hasAnswer: boolean;
}

/**
 * Begins a run that goes on elsewhere, on a thread where nothing is open. Known inboxes mark a thread as resolved by
 * going to its end: that withdraws what is open, and nothing runs.
 *
 * @throws {ServerError} `approval_pending`, `not_supported`, `invalid_request`
 */
export async function beginJump(
  parts: ServerParts,
  { row, made }: ThreadToBe,
  { goto, update, hasAnswer }: Jump,
  given: GivenRun,
): Promise<Run> {
  const { manager, ports, checkpointer } = parts;
  if (isEnding({ goto, update, hasAnswer })) {
    await resolveThread(parts, row, decider(given.by));
    return manager.show((await ports.threads.get(row.thread_id)) ?? row, given);
  }
  const pending = (await pendingOf(ports.ledger, row.thread_id)).map(({ approval_id }) => approval_id);
  if (pending.length > 0) {
    const message =
      '"command.goto" and "command.update" are refused while approvals are pending. Decide or withdraw them.';
    throw new ServerError("approval_pending", message, { pending });
  }
  if (hasAnswer) {
    const message = 'Send the answer in "command.resume" alone, with no "goto" and no "update" beside it.';
    throw new ServerError("not_supported", message);
  }
  if (!isNothing(update)) assertStateKeys(await ports.graphs.get(given.graph_id), update);
  const targets = isNothing(goto) ? [] : [goto].flat();
  if (targets.some((target) => typeof target !== "string"))
    throw new ServerError(
      "not_supported",
      '"command.goto" may name nodes. Sends to nodes are not supported.',
    );
  const { nodes } = await ports.graphs.get(given.graph_id);
  const names = targets.map((target) => (typeof target === "string" ? target : ""));
  const unknown = names.find((name) => name !== "__end__" && !Object.hasOwn(nodes, name));
  if (unknown !== undefined) {
    const message = `names no node of the graph: "${unknown.slice(0, 80)}"`;
    throw new ServerError("invalid_request", `"command.goto" ${message}.`, {
      errors: [{ path: "command.goto", message }],
    });
  }
  if (targets.includes("tools") && (await parts.isGated(given.graph_id))) {
    const message =
      'The node "tools" is entered by calls of the model alone. Send an input, or go to "agent".';
    throw new ServerError("not_supported", message);
  }
  const state = await stateOf(ports, row);
  await assertHarmlessJump(parts, given.graph_id, { goto: targets, state });
  await assertOwnKeys(parts, given.graph_id, update);
  await checkInput(checkpointer, update ?? null, async () => messagesOf(state?.values));
  const beginning = { ...(targets.length > 0 && { goto: targets }), ...(!isNothing(update) && { update }) };
  return manager.start(await made(), { kind: "command", ...beginning }, given);
}

/** Whether a jump is how inboxes mark a thread as resolved: to the end, and nothing else. */
export function isEnding({ goto, update, hasAnswer }: Jump): boolean {
  return isEnd(goto) && isNothing(update) && !hasAnswer;
}

function isEnd(goto: unknown): boolean {
  const [target, ...others] = [goto].flat();
  return target === "__end__" && others.length === 0;
}

function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function messagesOf(values: unknown): unknown[] {
  const { messages } = (values ?? {}) as { messages?: unknown };
  return Array.isArray(messages) ? (messages as unknown[]) : [];
}
