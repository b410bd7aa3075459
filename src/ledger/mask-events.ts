import { Secrets } from "../policy/index.ts";
import type { RecordedEvent } from "./event.ts";
import type { Ledger } from "./ledger.ts";
import { hiddenOf, maskEvent, type Hidden } from "./masking.ts";

/** The masks that a graph's policy has now, beside those that its calls were begun under. */
export type MasksOf = (graph_id: string | null) => readonly string[];

/** Events that say nothing of arguments or results. */
const PLAIN = new Set([
  "approval_shown",
  "approval_escalated",
  "approval_warned",
  "execution_paused",
  "execution_resumed",
  "run_started",
  "run_stopped",
]);

const MOST_KNOWN = 10_000;

/** Shows events as people may see them. Remembers which calls have nothing to hide. */
export class EventMasker {
  readonly #ledger: Pick<Ledger, "call">;
  readonly #masksOf: MasksOf;
  readonly #plain = new Set<string>();

  constructor(ledger: Pick<Ledger, "call">, masksOf: MasksOf = () => []) {
    this.#ledger = ledger;
    this.#masksOf = masksOf;
  }

  /** Events in their order, as people may see them. */
  async show<Event extends RecordedEvent>(events: readonly Event[]): Promise<Event[]> {
    const found = new Map<string, Hidden | null>();
    const shown: Event[] = [];
    for (const event of events) shown.push(maskEvent(event, await this.#hiddenOf(event, found)));
    return shown;
  }

  async #hiddenOf(event: RecordedEvent, found: Map<string, Hidden | null>): Promise<Hidden | null> {
    const { call_id, type, data } = event;
    if (call_id === null || data === null || PLAIN.has(type) || this.#plain.has(call_id)) return null;
    const known = found.get(call_id);
    if (known !== undefined) return known;
    if (type === "tool_call_started" && this.#startsPlain(event)) return this.#keepPlain(call_id);
    const hidden = await this.#look(call_id);
    if (hidden === null) return this.#keepPlain(call_id);
    found.set(call_id, hidden);
    return hidden;
  }

  async #look(call_id: string): Promise<Hidden | null> {
    try {
      const call = await this.#ledger.call(call_id);
      return call === null ? null : hiddenOf(call, this.#masksOf(call.graph_id));
    } catch {
      // A call that was tampered with cannot tell what it hides. Its events are shown all the same, without arguments.
      return { masks: ["**"], secrets: new Secrets(), isGrown: true };
    }
  }

  #startsPlain({ type, data }: RecordedEvent): boolean {
    if (type !== "tool_call_started" || data === null) return false;
    const { mask = [], graph_id } = data as { mask?: string[]; graph_id: string | null };
    return mask.length === 0 && this.#masksOf(graph_id).length === 0;
  }

  #keepPlain(call_id: string): null {
    if (this.#plain.size >= MOST_KNOWN) this.#plain.clear();
    this.#plain.add(call_id);
    return null;
  }
}
