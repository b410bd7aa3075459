import { toJson } from "../to-json.ts";
import { Pieces } from "./pieces.ts";
import type { ThreadMask } from "./thread-mask.ts";

/** Events that tell that a message is whole, where they hold it. */
const WHOLE = ["values", "updates", "messages/complete"];
const ENDS = ["end", "error"];

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
    const [name = ""] = event.split("|");
    const isPartial = name === "events" || name === "messages" || name === "messages/partial";
    const shown = this.#mask.show(data, { isPartial });
    if (name === "messages") return [[event, this.#showPiece(event, shown)]];
    if (name === "events") return [[event, this.#pieces.ofTrace(shown)]];
    if (name === "messages/partial" && Array.isArray(shown))
      return [[event, shown.map((message) => Pieces.whole(message, this.#mask))]];
    return [...this.#rests(name, shown), [event, shown]];
  }

  #showPiece(event: string, piece: unknown): unknown {
    if (!Array.isArray(piece)) return piece;
    const { id } = (piece[0] ?? {}) as { id?: unknown };
    if (typeof id === "string") this.#open.set(id, { event, piece });
    return this.#pieces.ofTuple(piece);
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
