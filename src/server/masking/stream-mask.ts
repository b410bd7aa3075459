import { toJson } from "../to-json.ts";
import type { Form } from "./kept.ts";
import { messageOfTrace, messageOfTuple, Pieces } from "./pieces.ts";
import type { ThreadMask } from "./thread-mask.ts";

/** Events that tell that a message is whole, where they hold it. */
const WHOLE = ["values", "updates", "messages/complete"];
const ENDS = ["end", "error"];
/** Events that tell of messages on their way. */
const PARTIAL = ["events", "messages", "messages/partial"];

type Shown = [event: string, data: unknown];

/** Shows the events of one run's stream as people may see them. */
export class StreamMask {
  readonly #mask: ThreadMask;
  readonly #pieces: Pieces;
  /** The newest piece of each message that is on its way, to tell in its form what was held back. */
  readonly #open = new Map<string, { event: string; piece: unknown[] }>();

  constructor(mask: ThreadMask) {
    this.#mask = mask;
    this.#pieces = new Pieces(mask);
  }

  /** An event as it may be told, and before it what was held back of the messages that it ends. */
  show(event: string, data: unknown): Shown[] {
    if (this.#mask.isEmpty) return [[event, data]];
    const name = nameOf(event);
    const shown = formOf(event).show(data, this.#mask, this.#pieces);
    if (name === "messages") this.#note(event, shown);
    return PARTIAL.includes(name) ? [[event, shown]] : [...this.#rests(name, shown), [event, shown]];
  }

  #note(event: string, piece: unknown): void {
    if (!Array.isArray(piece)) return;
    const { id } = (piece[0] ?? {}) as { id?: unknown };
    if (typeof id === "string") this.#open.set(id, { event, piece });
  }

  #rests(name: string, shown: unknown): Shown[] {
    if (this.#open.size === 0 || ![...WHOLE, ...ENDS].includes(name)) return [];
    const json = WHOLE.includes(name) ? toJson(shown) : null;
    const rests: Shown[] = [];
    for (const [id, { event, piece }] of this.#open) {
      if (json !== null && !json.includes(JSON.stringify(id))) continue;
      this.#open.delete(id);
      const text = this.#pieces.rest(id);
      if (text === "") continue;
      const [message, ...more] = piece as [object, ...unknown[]];
      rests.push([event, [{ ...message, content: text }, ...more]]);
    }
    return rests;
  }
}

/** How the events of a run's stream are shown, by their name. */
export function formOf(event: string): Form {
  switch (nameOf(event)) {
    case "messages":
      return TUPLE;
    case "events":
      return TRACE;
    case "messages/partial":
      return SO_FAR;
    default:
      return WHOLLY;
  }
}

const WHOLLY: Form = { show: (data, mask) => mask.show(data), messageOf: () => null };
const TUPLE: Form = {
  show: (data, mask, pieces) => pieces.ofTuple(mask.show(data, { isPartial: true })),
  messageOf: messageOfTuple,
};
const TRACE: Form = {
  show: (data, mask, pieces) => pieces.ofTrace(mask.show(data, { isPartial: true })),
  messageOf: messageOfTrace,
};
const SO_FAR: Form = {
  show: (data, mask) => {
    const shown = mask.show(data, { isPartial: true });
    return Array.isArray(shown) ? shown.map((message) => Pieces.whole(message, mask)) : shown;
  },
  messageOf: () => null,
};

function nameOf(event: string): string {
  return event.split("|")[0] ?? "";
}
