import type { Call } from "../call.ts";

/**
 * The calls written last, by id and version, so that the next event of a call need not read the ones before it.
 * What it holds is the store's own: copies go out.
 */
export class CallCache {
  readonly #calls = new Map<string, Call>();
  readonly #most: number;

  constructor(most = 500) {
    this.#most = most;
  }

  get(call_id: string, version: number): Call | undefined {
    const call = this.#calls.get(call_id);
    return call?.version === version ? call : undefined;
  }

  /** Keeps a call, and lets go of the one that was written longest ago. A call with its result is not kept. */
  set(call: Call): void {
    this.#calls.delete(call.call_id);
    if (call.result !== null) return;
    this.#calls.set(call.call_id, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > this.#most && oldest !== undefined) this.#calls.delete(oldest);
  }
}
