import type { ThreadMask } from "../masking/thread-mask.ts";
import type { CoreEvent, Teller } from "../runs/teller.ts";
import { tell, Telling, type Happening, type Told } from "./event.ts";
import { RunReader } from "./run-reader.ts";

/** A question that is open on a thread. */
export interface OpenRequest {
  id: string;
  value: unknown;
}

/** How a run ended, for those who follow it. */
export type Ending = { status: "completed" | "interrupted" } | { status: "failed"; error: string };

/** What one run tells, from its beginning to its end. It is read once, by the session of its thread. */
export class Tape implements Teller {
  readonly run_id: string;
  readonly graph_name: string;
  readonly #reader = new RunReader();
  readonly #telling: Telling;
  #told: Told[] = [];
  #isClosed = false;
  #wake = (): void => undefined;

  constructor(
    { run_id, mask }: { run_id: string; mask: ThreadMask | null },
    graph_name: string,
    answered: readonly string[],
  ) {
    this.#telling = new Telling(mask);
    this.run_id = run_id;
    this.graph_name = graph_name;
    this.#push({ method: "lifecycle", data: { event: "running", graph_name } });
    if (answered.length > 0) this.#push({ method: "input.answered", data: { interrupt_ids: answered } });
  }

  /** Takes an event of the graph's own stream. */
  take(event: CoreEvent): void {
    for (const happening of this.#reader.take(event)) this.#push(happening);
  }

  /**
   * Tells how the run has left its thread. One that told nothing itself leaves at least the `values`; one without an
   * ending was put off, as by a server that stops.
   */
  close(ending: Ending | null, open: readonly OpenRequest[], values: unknown): void {
    if (ending) {
      if (!this.#reader.hasValues && values !== undefined) this.#push({ method: "values", data: values });
      for (const happening of this.#reader.request(open)) this.#push(happening);
      const { status, ...more } = ending;
      this.#push({ method: "lifecycle", data: { event: status, graph_name: this.graph_name, ...more } });
    }
    this.#isClosed = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<Told> {
    while (this.#told.length > 0 || !this.#isClosed) {
      const told = this.#told;
      this.#told = [];
      yield* told;
      if (told.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #push(happening: Happening): void {
    if (this.#isClosed) return;
    this.#told.push(tell(happening, this.#telling));
    this.#wake();
  }
}
