import { v7 } from "@langchain/core/utils/uuid";
import { setMaxListeners } from "node:events";
import type { RunStatus } from "../database/tables.ts";
import type { WireInterrupt } from "../threads/open-questions.ts";
import { Keeping, renew, type Kept } from "../masking/kept.ts";
import { formOf, StreamMask } from "../masking/stream-mask.ts";
import type { ThreadMask } from "../masking/thread-mask.ts";
import type { Teller } from "./teller.ts";

/** One event of a run's stream, ready to be sent. `data` is JSON. */
export interface StreamEvent {
  /** `attempt-number`: where a reader that comes again goes on. */
  id: string;
  event: string;
  data: string;
}

/** How a run ended. */
export interface RunOutcome {
  status: RunStatus;
  error: unknown;
}

/** What a run left: the state at its end, and the questions that are open in it. */
export interface RunResult {
  values: unknown;
  interrupts: readonly WireInterrupt[];
}

/**
 * A run of this process, from its order to its end. Any number of clients read its stream, from the beginning or from
 * where they left; a client that leaves changes nothing.
 */
export class Run {
  readonly run_id: string;
  readonly thread_id: string;
  /** Resolves when the run has stopped, however it did. Never rejects. */
  readonly done: Promise<RunOutcome>;
  /** Whether somebody asked to cancel it. */
  isCancelled = false;
  /** What it left, once it has stopped. */
  result: RunResult | null = null;
  /** Whether its end in another process is waited for. */
  isFollowed = false;
  /** Who asked for it; `null` where nobody had to say who they are. */
  readonly requested_by: string | null;
  /** How often it has begun, counting those of earlier processes. */
  attempt = 0;
  /** Takes what it tells in the newer protocol, where somebody follows it in that. */
  teller: Teller | null = null;
  readonly #controller = new AbortController();
  readonly #events: { id: string; event: string; kept: Kept }[] = [];
  readonly #keeping = new Keeping();
  readonly #waiting = new Set<() => void>();
  #mask: ThreadMask | null = null;
  #stream: StreamMask | null = null;
  #outcome: RunOutcome | null = null;
  #finish!: (outcome: RunOutcome) => void;

  constructor(thread_id: string, run_id: string = v7(), requested_by: string | null = null) {
    this.run_id = run_id;
    this.requested_by = requested_by;
    this.thread_id = thread_id;
    this.done = new Promise((resolve) => (this.#finish = resolve));
    // Each parallel task of the graph listens to it.
    setMaxListeners(0, this.#controller.signal);
  }

  /** What its thread hides from people, once it has begun. */
  get mask(): ThreadMask | null {
    return this.#mask;
  }

  /** From now on its stream shows nothing that its thread hides. */
  hide(mask: ThreadMask): void {
    this.#mask = mask;
    this.#stream = new StreamMask(mask);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** How it ended; `null` while it has not. */
  get outcome(): RunOutcome | null {
    return this.#outcome;
  }

  abort(): void {
    this.isCancelled = true;
    this.#controller.abort(new DOMException("The run was cancelled.", "AbortError"));
  }

  /** Adds an event to the stream. Written out at once, since a graph goes on changing what it gave. */
  push(event: string, data: unknown): void {
    for (const [name, shown] of this.#stream?.show(event, data) ?? ([[event, data]] as const)) {
      const id = `${this.attempt}-${this.#events.length}`;
      this.#events.push({ id, event: name, kept: this.#keeping.keep(shown, this.#mask, formOf(name)) });
    }
    this.#tell();
  }

  finish(outcome: RunOutcome): void {
    if (this.#outcome !== null) return;
    this.#outcome = outcome;
    this.#finish(outcome);
    this.#tell();
  }

  /**
   * Reads the stream to its end, or until `signal` aborts, without what its thread hides by the time it is read.
   *
   * @param after the id of the last event that the reader has seen. One of an earlier attempt, or one that is none of
   *   ours, begins at the beginning of this one.
   */
  async *read(signal: AbortSignal, after?: string): AsyncGenerator<StreamEvent> {
    let next = this.#events.findIndex(({ id }) => id === after) + 1;
    while (!signal.aborted) {
      const found = this.#events[next];
      if (found) {
        next += 1;
        const { id, event, kept } = found;
        renew(kept);
        yield { id, event, data: kept.data };
      } else if (this.#outcome) return;
      else await this.#change(signal);
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#waiting.delete(go);
        signal.removeEventListener("abort", go);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener("abort", go);
    });
  }

  #tell(): void {
    for (const go of [...this.#waiting]) go();
  }
}
