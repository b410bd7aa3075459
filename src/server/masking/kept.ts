import { toJson } from "../to-json.ts";
import { Pieces } from "./pieces.ts";
import type { ThreadMask } from "./thread-mask.ts";

/** How a kind of event tells something: what people may see of it, and which message it is a piece of. */
export interface Form {
  show(data: unknown, mask: ThreadMask, pieces: Pieces): unknown;
  /** `null` for what is whole by itself. */
  messageOf(data: unknown): string | null;
}

/** The pieces of one message: a secret may be cut in two by them, so they are looked at together. */
interface Message {
  /** What its mask knew when its first piece was told. */
  begun: number;
  /** What its mask knew when all of its pieces were written. */
  version: number;
  pieces: Kept[];
}

/** An event that was told, and may be told again to who comes later. */
export interface Kept {
  /** What is told, as JSON. */
  data: string;
  readonly mask: ThreadMask | null;
  readonly form: Form;
  readonly message: Message | null;
  /** What its mask knew when `data` was written, where it is no piece. */
  version: number;
}

/**
 * Keeps events that were told. What a thread hides becomes known little by little: a text is told before the call that
 * names it a secret. So each is looked at once more before it is told again, when more has become known since.
 */
export class Keeping {
  readonly #messages = new Map<string, Message>();

  /** @param shown what was told of it, as people could see it by then. */
  keep(shown: unknown, mask: ThreadMask | null, form: Form): Kept {
    const now = mask?.version ?? 0;
    const id = mask === null ? null : form.messageOf(shown);
    const message = id === null ? null : this.#message(id, now);
    const kept: Kept = { data: toJson(shown), mask, form, message, version: now };
    if (message === null) return kept;
    message.pieces.push(kept);
    // A piece whose beginning was told by another knowledge goes on from that.
    message.version = message.begun;
    return kept;
  }

  #message(id: string, begun: number): Message {
    const known = this.#messages.get(id);
    if (known !== undefined) return known;
    const message: Message = { begun, version: begun, pieces: [] };
    this.#messages.set(id, message);
    return message;
  }
}

/** Brings a kept event, and with it its message, to what its thread hides by now. */
export function renew(kept: Kept): void {
  const { mask, message, form } = kept;
  const whole = message ?? kept;
  if (mask === null || mask.version === whole.version) return;
  whole.version = mask.version;
  const together = message?.pieces ?? [kept];
  const told = together.map(({ data }): unknown => JSON.parse(data));
  const last = message === null ? null : lastOfTexts(told, mask, form);
  let now = 0;
  const pieces = new Pieces(mask, (text) => last === null || last.get(text) === now);
  for (const [at, one] of together.entries()) {
    now = at;
    one.data = toJson(form.show(told[at], mask, pieces));
  }
}

/** At which piece each text of a message ends. */
function lastOfTexts(told: readonly unknown[], mask: ThreadMask, form: Form): Map<string, number> {
  const last = new Map<string, number>();
  for (const [at, data] of told.entries()) {
    const noting = new Pieces(mask, (text) => {
      last.set(text, at);
      return true;
    });
    form.show(data, mask, noting);
  }
  return last;
}
