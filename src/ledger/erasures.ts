import { ERASURE } from "./erase.ts";
import { readEvent, MISSING, type StoredEvent } from "./stored-event.ts";

/** What a thread has that its next erasure has to account for. */
interface Open {
  calls: string[];
  missing: StoredEvent[];
}

/**
 * Tells payloads that were erased from those that are missing: what is missing must be followed by an erasure in its
 * thread, and each erasure must name how many there were.
 */
export class Erasures {
  /** The calls that were erased. */
  readonly calls = new Set<string>();
  /** How many events were erased. */
  count = 0;
  readonly #open = new Map<string, Open>();
  readonly #fault: (row: StoredEvent, problem: string) => void;

  constructor(fault: (row: StoredEvent, problem: string) => void) {
    this.#fault = fault;
  }

  event(row: StoredEvent): void {
    const { thread_id, call_id, call_version, type, data } = row;
    if (type === ERASURE) return this.#close(row);
    let open = this.#open.get(thread_id);
    if (open === undefined) this.#open.set(thread_id, (open = { calls: [], missing: [] }));
    if (call_id !== null && call_version === 1) open.calls.push(call_id);
    if (data === null) open.missing.push(row);
  }

  end(): void {
    for (const { missing } of this.#open.values()) this.#tell(missing);
  }

  #close(row: StoredEvent): void {
    const { calls = [], missing = [] } = this.#open.get(row.thread_id) ?? {};
    this.#open.delete(row.thread_id);
    const named = namedBy(row);
    if (named === undefined) {
      this.#tell([...missing, ...(row.data === null ? [row] : [])]);
      return;
    }
    this.count += missing.length;
    for (const call_id of calls) this.calls.add(call_id);
    if (named === missing.length) return;
    this.#fault(
      row,
      `event ${row.seq} says that ${named} payloads were erased, and ${missing.length} are missing`,
    );
  }

  #tell(missing: readonly StoredEvent[]): void {
    for (const row of missing) this.#fault(row, `event ${row.seq} was changed: ${MISSING}`);
  }
}

/** How many payloads an erasure says it erased; undefined when it cannot be read, which is told of elsewhere. */
function namedBy(row: StoredEvent): number | undefined {
  try {
    const { type, data } = readEvent(row);
    return type === ERASURE ? data.events : undefined;
  } catch {
    return undefined;
  }
}
