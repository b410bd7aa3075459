import { canonicalJson, sha256 } from "./canonical.ts";

/** What the first event of every thread, and the first head, follow upon. */
export const CHAIN_START = "0".repeat(64);

/** The end of a chain: how many links it has, and the hash of the last one. */
export interface Tip {
  seq: number;
  hash: string;
}

export const EMPTY_CHAIN: Tip = { seq: 0, hash: CHAIN_START };

/** What the hash of an event covers. The payload is in it by its digest, so that a chain can be checked without it. */
export interface Link {
  v: number;
  thread_seq: number;
  at: string;
  thread_id: string;
  run_id: string | null;
  call_id: string | null;
  call_version: number | null;
  type: string;
  data_digest: string;
}

/** The digest of a payload's canonical JSON text. */
export function payloadDigest(text: string): string {
  return `sha256:${sha256(text)}`;
}

/** The hash of an event over the one before it in its thread, `CHAIN_START` for the first. Hexadecimal SHA-256. */
export function eventHash(previous: string, link: Link): string {
  const { v, thread_seq, at, thread_id, run_id, call_id, call_version, type, data_digest } = link;
  const covered = [previous, v, thread_seq, at, thread_id, run_id, call_id, call_version, type, data_digest];
  return sha256(canonicalJson(covered));
}

/** The head after an event of any thread was added: a chain over the hashes of all events in the order of `seq`. */
export function headHash(previous: string, event_hash: string): string {
  return sha256(canonicalJson([previous, event_hash]));
}
