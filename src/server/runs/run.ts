import { setMaxListeners } from "node:events";
import type { RunStatus } from "../database/tables.ts";
import { toJson } from "../to-json.ts";

/** One event of a run's stream, ready to be sent. `data` is JSON. */
export interface StreamEvent {
  event: string;
  data: string;
}

/** How a run ended. */
export interface RunOutcome {
  status: RunStatus;
  error: unknown;
}

/**
 * A run of this process, from its order to its end. Any number of clients read its stream, each from the beginning; a
 * client that leaves changes nothing.
 */
export class Run {
  readonly run_id: string;
  readonly thread_id: string;
  /** Resolves when the run has stopped, however it did. Never rejects. */
  readonly done: Promise<RunOutcome>;
  /** Whether somebody asked to cancel it. */
  isCancelled = false;
  readonly #isStreamed: boolean;
  readonly #controller = new AbortController();
  readonly #events: StreamEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #outcome: RunOutcome | null = null;
  #finish!: (outcome: RunOutcome) => void;

  constructor(run_id: string, thread_id: string, { isStreamed }: { isStreamed: boolean }) {
    this.run_id = run_id;
    this.thread_id = thread_id;
    this.#isStreamed = isStreamed;
    this.done = new Promise((resolve) => (this.#finish = resolve));
    // Each parallel task of the graph listens to it.
    setMaxListeners(0, this.#controller.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.isCancelled = true;
    this.#controller.abort(new DOMException("The run was cancelled.", "AbortError"));
  }

  /** Adds an event to the stream. Written out at once, since a graph goes on changing what it gave. */
  push(event: string, data: unknown): void {
    if (!this.#isStreamed) return;
    this.#events.push({ event, data: toJson(data) });
    this.#tell();
  }

  finish(outcome: RunOutcome): void {
    this.#outcome = outcome;
    this.#finish(outcome);
    this.#tell();
  }

  /** Reads the stream from its beginning to its end, or until `signal` aborts. */
  async *read(signal: AbortSignal): AsyncGenerator<StreamEvent> {
    let next = 0;
    while (!signal.aborted) {
      const event = this.#events[next];
      if (event) {
        next += 1;
        yield event;
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
