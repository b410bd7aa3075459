import type { ServerParts } from "../parts.ts";
import { interruptsOf, readNow, type ThreadNow } from "../threads/thread-view.ts";
import { happened, type AgentStatus, type Happening } from "./event.ts";
import type { Saying } from "./session.ts";
import type { Held, Sessions } from "./sessions.ts";

/** How long after its end a client may still be on its way back to hear of it, in milliseconds. */
const RECENT_MS = 60_000;

/**
 * Holds a thread's session for a client that follows it. A new one tells first how the thread stands, so that the
 * client sees the state and what is open, and follows the run that is live.
 */
export function attach(parts: ServerParts, sessions: Sessions, thread_id: string): Held {
  const held = sessions.hold(thread_id);
  if (held.isNew) void held.session.say(() => standingOf(parts, sessions, thread_id));
  return held;
}

async function standingOf(parts: ServerParts, sessions: Sessions, thread_id: string): Promise<Saying> {
  const { manager, ports } = parts;
  const row = await ports.threads.get(thread_id);
  if (!row?.graph_id) return { happenings: [], run_id: null, mask: null };
  const { graph_id, run_id } = row;
  const now = await readNow(ports, row);
  const mask = await ports.masks.of(row);
  const live = manager.current(thread_id);
  if (live) {
    sessions.follow(live, { graph_id, answered: [] });
    return { happenings: valuesOf(now), run_id, mask };
  }
  const open = interruptsOf(now);
  const ended = await recentEnd(parts, run_id);
  const event = ended !== null && open.length > 0 ? "interrupted" : ended;
  const happenings = [
    ...valuesOf(now),
    ...open.map(({ id, value }) => happened("input.requested", { interrupt_id: id, payload: value })),
    ...(event === null ? [] : [happened("lifecycle", { event, graph_name: graph_id })]),
  ];
  return { happenings, run_id, mask };
}

function valuesOf({ state }: ThreadNow): Happening[] {
  if (!state?.createdAt) return [];
  const at = Date.parse(state.createdAt);
  const { checkpoint_id: id } = (state.config.configurable ?? {}) as { checkpoint_id?: string };
  const { checkpoint_id: parent_id } = (state.parentConfig?.configurable ?? {}) as { checkpoint_id?: string };
  const { step, source } = state.metadata ?? {};
  const envelope = { id, ...(parent_id !== undefined && { parent_id }), step, source };
  return [happened("checkpoints", envelope, at), happened("values", state.values, at)];
}

/** How the newest run ended, if some client may still wait to hear it. */
async function recentEnd({ ports }: ServerParts, run_id: string | null): Promise<AgentStatus | null> {
  const record = run_id === null ? undefined : await ports.runs.get(run_id);
  if (!record?.ended_at || Date.now() - Date.parse(record.ended_at) > RECENT_MS) return null;
  switch (record.status) {
    case "success":
    case "interrupted":
      return "completed";
    case "error":
      return "failed";
    case "cancelled":
      return "interrupted";
    default:
      return null;
  }
}
