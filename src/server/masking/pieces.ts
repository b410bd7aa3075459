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
  readonly #held = new Map<string, string>();
  constructor(mask: ThreadMask) {
    this.#mask = mask;
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
    const chunk = this.#message(event["data"]["chunk"], `trace ${String(event["run_id"])}`);
    return { ...event, data: { ...event["data"], chunk } };
  }

  /** An event of the newer protocol. Each block comes whole at its end. */
  ofBlock(event: unknown, place: string): unknown {
    if (!isObject(event) || event["event"] !== "content-block-delta" || !isObject(event["delta"]))
      return event;
    const delta = this.#texts(event["delta"], `block ${place} ${String(event["index"])}`);
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
          isObject(block) ? this.#texts(block, `${key} ${name} ${String(block["index"] ?? at)}`) : block,
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
    const { shown, held } = this.#mask.split((this.#held.get(key) ?? "") + piece);
    if (held === "") this.#held.delete(key);
    else this.#held.set(key, held);
    return shown;
  }
}

function tupleKey(id: unknown): string {
  return `tuple ${String(id)} `;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
