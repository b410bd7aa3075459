import type { ThreadMask } from "./thread-mask.ts";

type Json = Record<string, unknown>;

/** Keys under which a piece of a message has its text. */
const TEXTS = ["text", "reasoning", "thinking"];

/**
 * Messages on their way, piece by piece: a secret may be cut in two, so what may be the beginning of one waits for the
 * piece behind it.
 */
export class Pieces {
  readonly #mask: ThreadMask;
  readonly #isLast: (text: string) => boolean;
  readonly #held = new Map<string, string>();

  /** @param isLast whether nothing comes behind a piece of a text, so that nothing of it has to wait. */
  constructor(mask: ThreadMask, isLast: (text: string) => boolean = () => false) {
    this.#mask = mask;
    this.#isLast = isLast;
  }

  /** A piece of the older protocol: `[message, metadata]`. */
  ofTuple(piece: unknown): unknown {
    if (!Array.isArray(piece) || !isObject(piece[0])) return piece;
    const [message, ...rest] = piece as [Json, ...unknown[]];
    return [this.#message(message, tupleKey(message["id"])), ...rest];
  }

  /** What is held back of a message, and is not from now on: the message is whole, so that it was no secret. */
  rest(id: unknown): string {
    const keys = [...this.#held.keys()].filter((key) => key.startsWith(tupleKey(id)));
    const text = keys.map((key) => this.#held.get(key) ?? "").join("");
    for (const key of keys) this.#held.delete(key);
    return text;
  }

  /** An event of the mode `events`. Its message comes whole at its end. */
  ofTrace(event: unknown): unknown {
    if (!isObject(event) || !isObject(event["data"]) || !isObject(event["data"]["chunk"])) return event;
    if (event["event"] !== "on_chat_model_stream") return event;
    const chunk = this.#message(event["data"]["chunk"], traceKey(event["run_id"]));
    return { ...event, data: { ...event["data"], chunk } };
  }

  /** An event of the newer protocol. Each block comes whole at its end. */
  ofBlock(event: unknown, place: string): unknown {
    if (!isObject(event) || event["event"] !== "content-block-delta" || !isObject(event["delta"]))
      return event;
    const delta = this.#texts(event["delta"], blockKey(place, event["index"]));
    return { ...event, delta };
  }

  /** A message that was put together of its pieces so far. */
  static whole(message: unknown, mask: ThreadMask): unknown {
    return new Pieces(mask).#message(isObject(message) ? message : {}, "whole");
  }

  #message(message: Json, key: string): Json {
    const shown: Json = { ...message };
    for (const name of ["content", "content_blocks"]) {
      const content = message[name];
      if (typeof content === "string") shown[name] = this.#take(`${key} ${name}`, content);
      else if (Array.isArray(content))
        shown[name] = content.map((block: unknown, at) =>
          isObject(block) ? this.#texts(block, `${key} ${name} ${placeOf(block, at)}`) : block,
        );
    }
    return shown;
  }

  #texts(block: Json, key: string): Json {
    const texts = TEXTS.flatMap((name) => {
      const text = block[name];
      return typeof text === "string" ? [[name, this.#take(`${key} ${name}`, text)] as const] : [];
    });
    return { ...block, ...Object.fromEntries(texts) };
  }

  #take(key: string, piece: string): string {
    const text = (this.#held.get(key) ?? "") + piece;
    const { shown, held } = this.#isLast(key)
      ? { shown: this.#mask.hide(text), held: "" }
      : this.#mask.split(text);
    if (held === "") this.#held.delete(key);
    else this.#held.set(key, held);
    return shown;
  }
}

function placeOf({ index }: Json, at: number): string {
  return typeof index === "number" || typeof index === "string" ? String(index) : String(at);
}

/** Which message a piece is of, in whichever protocol; `null` for what is none. */
export function messageOfTuple(piece: unknown): string | null {
  return Array.isArray(piece) && isObject(piece[0]) ? tupleKey(piece[0]["id"]) : null;
}

export function messageOfTrace(event: unknown): string | null {
  return isObject(event) && event["event"] === "on_chat_model_stream" ? traceKey(event["run_id"]) : null;
}

export function messageOfBlock(event: unknown, place: string): string | null {
  return isObject(event) && event["event"] === "content-block-delta" ? blockKey(place, event["index"]) : null;
}

function traceKey(run_id: unknown): string {
  return `trace ${String(run_id)}`;
}

function blockKey(place: string, index: unknown): string {
  return `block ${place} ${String(index)}`;
}

function tupleKey(id: unknown): string {
  return `tuple ${String(id)} `;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
