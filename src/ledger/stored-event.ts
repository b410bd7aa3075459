import { eventHash, payloadDigest, type Link } from "./chain.ts";
import { NewerEventError, readPayload } from "./event.ts";
import type { EventType, LedgerEvent, NewEvent, RecordedEvent } from "./event.ts";
import { LedgerError } from "./ledger.ts";

/** What to do about a store that was changed, as errors say it. */
export const VERIFY =
  'Run "countersign audit verify --store <url>" with the address of the store, and restore it from a backup.';

export const MISSING = "its payload is missing";

/** An event as a store keeps it, one row. */
export interface StoredEvent extends Link {
  seq: number;
  /** The payload's canonical JSON. `null` once it was erased: see `erase.ts`. */
  data: string | null;
  prev_hash: string;
  hash: string;
  /** The global head after this event. */
  head_hash: string;
}

/**
 * Reads a stored event.
 *
 * @throws {LedgerError} `newer_event` when a later version wrote it; `tampered` when its payload cannot be read.
 */
export function readEvent(row: StoredEvent): LedgerEvent {
  const { v, seq, thread_seq, at, thread_id, run_id, call_id, hash } = row;
  return { ...payloadOf(row), v, seq, thread_seq, at, thread_id, run_id, call_id, hash };
}

/**
 * Reads a stored event after it was compared with its own hash.
 *
 * @throws {LedgerError} `tampered`, naming the `seq`.
 */
export function readChecked(row: StoredEvent): LedgerEvent {
  const fault = faultOf(row);
  if (fault) throw tampered(row.seq, fault);
  return readEvent(row);
}

/** Reads a stored event that may have been erased; `isErased` says whether a missing payload was. */
export function readRecorded(row: StoredEvent, isErased: boolean): RecordedEvent {
  if (row.data !== null || !isErased) return readEvent(row);
  const { v, seq, thread_seq, at, thread_id, run_id, call_id, hash, data_digest } = row;
  const type = row.type as EventType;
  return { type, data: null, v, seq, thread_seq, at, thread_id, run_id, call_id, hash, data_digest };
}

/** What is wrong with a row taken by itself, or undefined when it matches its hash. One that was erased has no payload. */
export function faultOf(row: StoredEvent, { isErased = false } = {}): string | undefined {
  if (row.data === null && !isErased) return MISSING;
  if (row.data !== null && payloadDigest(row.data) !== row.data_digest) return "its payload was edited";
  if (eventHash(row.prev_hash, row) !== row.hash) return "it does not match its hash";
  return undefined;
}

function payloadOf(row: StoredEvent): NewEvent {
  try {
    return readPayload(row.type, row.v, JSON.parse(row.data ?? "null"));
  } catch (error) {
    if (error instanceof NewerEventError) {
      throw new LedgerError("newer_event", error.message, { cause: error });
    }
    throw tampered(row.seq, `its payload is not one of "${row.type}"`, error);
  }
}

function tampered(seq: number, fault: string, cause?: unknown): LedgerError {
  const message = `Event ${seq} of the ledger was tampered with: ${fault}. Nothing is decided upon it. ${VERIFY}`;
  return new LedgerError("tampered", message, cause === undefined ? undefined : { cause });
}
