import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../client.ts";
import { readEvent, type WireEvent } from "./wire-types.ts";

const RETRY_MS = 1_000;

/** The live events of one thread, kept until they are taken. A broken connection goes on where it broke. */
export class Feed {
  readonly #client: Client;
  readonly #thread_id: string;
  readonly #closing = new AbortController();
  #waiting: WireEvent[] = [];
  #last: string | undefined;
  #wake: () => void = () => undefined;

  private constructor(client: Client, thread_id: string) {
    this.#client = client;
    this.#thread_id = thread_id;
  }

  /** Opens the feed; what happens from now on arrives in it. */
  static async open(client: Client, thread_id: string): Promise<Feed> {
    const feed = new Feed(client, thread_id);
    const events = await feed.#connect();
    void feed.#read(events);
    return feed;
  }

  /** Whether something waits to be taken. */
  get hasArrived(): boolean {
    return this.#waiting.length > 0;
  }

  /** Everything that arrived since the last time. */
  take(): WireEvent[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** Waits until something has arrived, at most so long, or until the signal. */
  async arrival(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#waiting.length > 0 || signal.aborted) return;
    const done = new AbortController();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      const end = AbortSignal.any([signal, done.signal]);
      sleep(ms, undefined, { signal: end, ref: false }).then(resolve, resolve);
    });
    done.abort();
  }

  close(): void {
    this.#closing.abort();
  }

  #connect() {
    return this.#client.open("/events", {
      query: { thread_id: this.#thread_id },
      headers: this.#last === undefined ? {} : { "last-event-id": this.#last },
      signal: this.#closing.signal,
    });
  }

  async #read(first: Awaited<ReturnType<Client["open"]>>): Promise<void> {
    let events = first;
    while (!this.#closing.signal.aborted) {
      try {
        for await (const { data, id } of events) {
          if (id !== undefined) this.#last = id;
          const event = readEvent(data);
          if (event !== undefined) this.#waiting.push(event);
          this.#wake();
        }
      } catch {
        // A connection that broke is opened again below; one that was closed ends the loop.
      }
      events = await this.#again();
    }
  }

  async #again(): Promise<Awaited<ReturnType<Client["open"]>>> {
    for (;;) {
      await sleep(RETRY_MS, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      if (this.#closing.signal.aborted) return nothing();
      try {
        return await this.#connect();
      } catch {
        // The server may be starting again: the next message of the person tells if it is not.
      }
    }
  }
}

async function* nothing(): AsyncGenerator<never> {
  // A closed feed has no more events.
}
