import type { Call } from "../call.ts";
import { copyJson } from "../copy-json.ts";
import type { StoredEvent } from "../stored-event.ts";

interface Kept {
  call: Call;
  /** All rows that the call was made of; undefined when the first ones were not written here. */
  rows: StoredEvent[] | undefined;
}

/**
 * The calls written last, with their rows, so that what was just written need not be checked and folded again.
 * What it holds is the store's own: copies go out.
 */
export class CallCache {
  readonly #kept = new Map<string, Kept>();
  readonly #most: number;

  constructor(most = 500) {
    this.#most = most;
  }

  get(call_id: string, version: number): Call | undefined {
    const call = this.#kept.get(call_id)?.call;
    return call?.version === version ? call : undefined;
  }

  /** The call that these rows of the database make, when they are to the letter the ones that were written. */
  of(rows: readonly StoredEvent[]): Call | undefined {
    const kept = this.#kept.get(rows[0]?.call_id ?? "");
    if (kept?.rows?.length !== rows.length) return undefined;
    return kept.rows.every((row, at) => isSameRow(row, rows[at])) ? copyJson(kept.call) : undefined;
  }

  /** Lets go of the calls of a thread. */
  forget(thread_id: string): void {
    for (const [call_id, { call }] of this.#kept)
      if (call.thread_id === thread_id) this.#kept.delete(call_id);
  }

  /** Keeps a call, and lets go of the one that was written longest ago. A call with its result is not kept. */
  set(call: Call, added: readonly StoredEvent[]): void {
    const before = this.#kept.get(call.call_id)?.rows ?? [];
    this.#kept.delete(call.call_id);
    if (call.result !== null) return;
    const rows = [...before, ...added];
    this.#kept.set(call.call_id, { call, rows: rows.length === call.version ? rows : undefined });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function isSameRow(written: StoredEvent, read: StoredEvent | undefined): boolean {
  return (
    read !== undefined &&
    (Object.keys(written) as (keyof StoredEvent)[]).every((name) => written[name] === read[name])
  );
}
