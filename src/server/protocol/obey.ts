import { assertSees } from "../identity/may.ts";
import { problemOf, ServerError } from "../problem.ts";
import { threadOf } from "../threads/new-thread.ts";
import { refusal, type Command, type CommandResponse } from "./command.ts";
import type { Place } from "./place.ts";
import { respond } from "./respond.ts";
import { startRun } from "./start-run.ts";
import { fork, getState, listCheckpoints } from "./states.ts";
import { attach } from "./standing.ts";

type Method = (place: Place, params: unknown) => Promise<unknown>;

/** What can be asked of a thread, on whichever connection. */
const METHODS: Record<string, Method> = {
  "run.start": startRun,
  "input.respond": respond,
  "state.get": getState,
  "state.listCheckpoints": listCheckpoints,
  "state.fork": fork,
  "agent.getTree": getTree,
};

/** What the protocol knows and this server does not do. */
const REFUSED: Record<string, string> = {
  "input.inject": 'A run takes no input on its way. Send it with "run.start": it is taken up after the run.',
  "subscription.subscribe": "Over HTTP each stream is a subscription: POST …/stream/events with its filter.",
  "subscription.unsubscribe": "Over HTTP each stream is a subscription: close it.",
  "subscription.reconnect":
    'Subscribe again: the newest events are sent once more, after "since" if you say so.',
};

/** Carries out a command. Never rejects: what cannot be done is a response, too. */
export async function obey(place: Place, { id, method, params }: Command): Promise<CommandResponse> {
  const { parts, sessions, thread_id } = place;
  const known = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (known === undefined) {
    const why = Object.hasOwn(REFUSED, method) ? REFUSED[method] : undefined;
    const message = why ?? `There is no command "${method.slice(0, 80)}".`;
    return refusal(
      id,
      new ServerError("not_supported", message),
      why === undefined ? "unknown_command" : undefined,
    );
  }
  // Held before the run begins, so that a client that opens its stream only then hears it from its beginning.
  const held = parts.manager.isLive(thread_id)
    ? attach(parts, sessions, thread_id)
    : sessions.hold(thread_id);
  const applied_through_seq = held.session.seq;
  try {
    await assertVisible(place);
    const result = await known(place, params);
    return { type: "success", id, result, meta: { thread_id, applied_through_seq } };
  } catch (error) {
    if (problemOf(error).status >= 500) parts.ports.onError(error);
    return refusal(id, error);
  } finally {
    held.release();
  }
}

/** @throws {ServerError} `thread_not_found` */
async function assertVisible({ parts, thread_id, by }: Place): Promise<void> {
  const row = await parts.ports.threads.get(thread_id);
  if (row) assertSees(by, row);
}

async function getTree({ parts, sessions, thread_id }: Place): Promise<unknown> {
  const tree = sessions.get(thread_id)?.tree;
  if (tree) return { tree };
  const { graph_id, status } = await threadOf(parts.ports, thread_id);
  if (graph_id === null) throw new ServerError("thread_not_found", "Nothing has run on this thread yet.");
  const stands = { idle: "completed", busy: "running", interrupted: "interrupted", error: "failed" }[status];
  return { tree: { namespace: [], status: stands, graph_name: graph_id } };
}
