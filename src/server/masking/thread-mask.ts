import type { RecordedEvent } from "../../ledger/index.ts";
import { Secrets, secretsIn } from "../../policy/index.ts";
import { toPlain } from "../to-json.ts";
import type { Inherited } from "./inherited.ts";
import { learnFrom, maskPayload } from "./mask-json.ts";

/** A place in a thread's part of the ledger. */
export interface Place {
  seq: number;
  thread_seq: number;
}

/** What one thread hides from people: the masks of its calls and graph, and what they have hidden so far. */
export class ThreadMask {
  readonly #masks = new Set<string>();
  #list: readonly string[] = [];
  readonly #secrets = new Secrets();
  readonly #read = new Map<string, Place>();
  #origins: readonly string[] | null = null;

  /** The threads that this one was copied from, if it was, once that was looked at. */
  get origins(): readonly string[] | null {
    return this.#origins;
  }

  /** Whether nothing is hidden, so that what is shown need not be looked at. */
  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  /** How many masks there are. */
  get masks(): number {
    return this.#list.length;
  }

  /** How much is known: it grows with each mask and each secret. */
  get version(): number {
    return this.#list.length + this.#secrets.size;
  }

  add(masks: readonly string[]): void {
    for (const mask of masks) this.#masks.add(mask);
    if (this.#masks.size === this.#list.length) return;
    this.#list = [...this.#masks];
    // What was read before was not looked at for what is hidden only now.
    this.#read.clear();
  }

  /** Up to where the ledger was read, in this thread or in one that it was copied from. */
  readIn(thread_id: string): Place {
    return this.#read.get(thread_id) ?? { seq: 0, thread_seq: 0 };
  }

  /** @param masks how many masks there were when the reading began: others may have come since. */
  keepRead(thread_id: string, place: Place, masks: number): void {
    if (masks === this.#list.length) this.#read.set(thread_id, place);
  }

  /** Takes what the thread that this one was copied from hid then. */
  inherit({ threads, masks, secrets }: Inherited): void {
    this.add(masks);
    this.#secrets.add(secrets);
    this.#origins = threads;
  }

  /** What a copy of this thread hides from its beginning on. */
  bequeathed(thread_id: string): Inherited {
    return {
      threads: [thread_id, ...(this.#origins ?? [])],
      masks: [...this.#list],
      secrets: this.#secrets.all(),
    };
  }

  /** Takes what an event of the thread tells of masks and secrets. */
  learn({ type, data }: RecordedEvent): void {
    if (data === null) return;
    if (type === "tool_call_started" && "mask" in data) this.add(data.mask ?? []);
    if (this.isEmpty) return;
    const decision = "decision" in data ? data.decision : undefined;
    const args = "args" in data ? data.args : decision?.args;
    if (args !== undefined) this.#secrets.add(secretsIn(this.#list, args));
  }

  /**
   * A value of a graph as plain JSON, as people may see it.
   *
   * @param options.isPartial messages on their way: half of a secret is none, and would be found in any text.
   */
  show(value: unknown, { isPartial = false } = {}): unknown {
    if (this.isEmpty) return value;
    const json = toPlain(value);
    const veil = { masks: this.#list, secrets: this.#secrets };
    if (!isPartial) learnFrom(json, veil);
    return maskPayload(json, veil);
  }

  /** A text that goes on, as far as people may see it by now. */
  split(text: string): { shown: string; held: string } {
    return this.#secrets.split(text);
  }

  /** A text as people may see it. */
  hide(text: string): string {
    return this.#secrets.hide(text);
  }
}
