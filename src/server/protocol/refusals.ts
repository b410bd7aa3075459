import { DeskError } from "../../desk/index.ts";
import type { WireInterrupt } from "../threads/open-questions.ts";
import { threadOf } from "../threads/new-thread.ts";
import { interruptsOf, readNow } from "../threads/thread-view.ts";
import { errorData } from "../to-json.ts";
import { happened, type Happening } from "./event.ts";
import type { Place } from "./place.ts";

/**
 * Tells those who follow the thread that an answer was refused, and what is open still: the client that sent it has
 * taken the questions for answered. While a run is live its end is not told, since it goes on.
 */
export function tellRefused(place: Place, ids: readonly string[], error: unknown): void {
  const { parts, thread_id } = place;
  tellOpen(place, (open, graph_name) => {
    const again = requests(open.filter(({ id }) => ids.includes(id)));
    const reason = reasonOf(error, ids);
    if (reason === null || parts.manager.isLive(thread_id)) return again;
    const refused = {
      ...{ event: "failed", graph_name, error: errorData(error).message },
      ...{ reason, interrupt_ids: ids, pending_ids: open.map(({ id }) => id) },
    };
    const standing = open.length === 0 ? [] : [happened("lifecycle", { event: "interrupted", graph_name })];
    return [happened("lifecycle", refused), ...again, ...standing];
  });
}

/** Tells once more what is open: a client that has sent an input takes all questions for gone. */
export function tellAgain(place: Place): void {
  tellOpen(place, requests);
}

function tellOpen(
  { parts, sessions, thread_id }: Place,
  tell: (open: readonly WireInterrupt[], graph_name: string) => Happening[],
): void {
  void sessions.get(thread_id)?.say(async () => {
    const row = await threadOf(parts.ports, thread_id);
    const open = interruptsOf(await readNow(parts.ports, row));
    const mask = await parts.ports.masks.of(row);
    return { happenings: tell(open, row.graph_id ?? ""), run_id: null, mask };
  });
}

function requests(open: readonly WireInterrupt[]): Happening[] {
  return open.map(({ id, value }) => happened("input.requested", { interrupt_id: id, payload: value }));
}

/** Why LangGraph's strict mode refuses an answer, in its own words; `null` for what it would not notice. */
function reasonOf(error: unknown, ids: readonly string[]): string | null {
  if (ids.length === 0) return "empty_map";
  if (!(error instanceof DeskError) || error.code === "invalid_decision") return null;
  return error.code === "ambiguous" ? "ambiguous" : "not_pending";
}
