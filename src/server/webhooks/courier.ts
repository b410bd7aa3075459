import type { MayReach } from "./allowed-hosts.ts";
import type { Message, Outbox } from "./outbox.ts";
import { postOnce, type Resolve } from "./post-once.ts";

/** How long an answer is still waited for when everything stops, in milliseconds. What was heard is not told again. */
const GRACE_MS = 500;

/** How long a try is left alone before somebody else takes it up, in milliseconds. */
export const CLAIM_MS = 30_000;

/** How often it is looked for messages that another process left, in milliseconds, and how many are told at once. */
const LOOK_MS = 1_000;
const AT_ONCE = 20;

/** A message of the owner's own targets that was due so long ago is for a target that nobody knows any more. */
const OLDEST_MS = 7 * 24 * 3_600_000;

/** How the messages to one address are sent. */
export interface Delivery {
  /** What is waited after each try before the next one, in milliseconds. When they are over, it is given up. */
  pauses: readonly number[];
  /** Headers beside those that every message has; `now` in milliseconds since 1970. */
  headers(message: Message, now: number): Record<string, string>;
  /** What it is, for whoever reads that it was given up. */
  words(message: Message): string;
}

export interface CourierOptions {
  outbox: Outbox;
  mayReach: MayReach;
  resolve?: Resolve;
  onError: (error: unknown) => void;
  /** For addresses that clients gave. */
  ofClients: Delivery;
  /** For the owner's own targets, by name. Messages to others are left to the processes that know them. */
  targets: ReadonlyMap<string, Delivery>;
}

/** Sends what is in the outbox: at least once each, until it is heard or given up. Nothing waits for it. */
export class Courier {
  readonly #options: CourierOptions;
  readonly #stopping = new AbortController();
  #isStopping = false;
  readonly #busy = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #nextMs = Number.POSITIVE_INFINITY;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  /** Begins to send what an earlier process left, and what others put off from now on. */
  async start(): Promise<void> {
    await this.#options.outbox.forget(Date.now() - OLDEST_MS);
    this.wake();
  }

  /** Looks for messages now. */
  wake(): void {
    this.#lookIn(0);
  }

  /** Work that ends before this does. What fails in it is told of, unless it was cut off. */
  track(work: Promise<void>): void {
    const done = work.catch((error: unknown) => {
      if (!this.#isStopping) this.#options.onError(error);
    });
    this.#busy.add(done);
    void done.then(() => this.#busy.delete(done));
  }

  /** Leaves what is not told yet to the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const late = setTimeout(() => this.#stopping.abort(), GRACE_MS);
    await Promise.all(this.#busy);
    clearTimeout(late);
  }

  /** Sends a message that was claimed. */
  async deliver(message: Message): Promise<void> {
    const { outbox, mayReach, resolve, targets, ofClients } = this.#options;
    const { message_id, url, body, attempts, target } = message;
    const delivery = target === null ? ofClients : targets.get(target);
    if (delivery === undefined) return;
    const { signal } = this.#stopping;
    const now = Date.now();
    const headers = {
      ...{ "content-type": "application/json", "webhook-id": message_id },
      ...delivery.headers(message, now),
    };
    const problem = await postOnce({ url, body, headers, mayReach, signal, ...(resolve && { resolve }) });
    if (problem !== null && signal.aborted) {
      // At once, at the next start.
      await outbox.claim(message, { due_ms: Date.now() });
      return;
    }
    const pause = problem === null ? undefined : delivery.pauses[attempts];
    if (pause !== undefined) {
      await outbox.claim(message, { attempts: attempts + 1, due_ms: Date.now() + pause });
      this.#lookIn(pause);
      return;
    }
    await outbox.remove(message_id);
    if (target !== null) this.wake();
    if (problem !== null) throw new Error(`${delivery.words(message)} could not be told: ${problem}`);
  }

  async #look(): Promise<void> {
    const { outbox, targets } = this.#options;
    const due = await outbox.due(Date.now(), [...targets.keys()], AT_ONCE);
    for (const one of due) {
      const claimed = { ...one, due_ms: Date.now() + CLAIM_MS };
      if (await outbox.claim(one, { due_ms: claimed.due_ms })) this.track(this.deliver(claimed));
    }
    this.#lookIn(LOOK_MS);
  }

  /** Looks after so long, or sooner where that is planned already. */
  #lookIn(ms: number): void {
    const at = Date.now() + ms;
    if (this.#isStopping || (this.#timer !== undefined && at >= this.#nextMs)) return;
    clearTimeout(this.#timer);
    this.#nextMs = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Whatever went wrong, it is looked again.
      this.track(
        this.#look().catch((error: unknown) => {
          this.#lookIn(LOOK_MS);
          throw error;
        }),
      );
    }, ms).unref();
  }
}
