import { CHAIN_START, EMPTY_CHAIN, headHash, type Tip } from "./chain.ts";
import type { Verification } from "./ledger.ts";
import { Erasures } from "./erasures.ts";
import { faultOf, type StoredEvent } from "./stored-event.ts";

export type ThreadTip = Tip & { thread_id: string };

type Fault = Verification["broken"][number];

/** More than this many faults say no more than this many. */
const MOST_FAULTS = 1_000;

/** Goes over all events once, in the order of `seq`, and remembers where each chain ended. */
export class Walk {
  readonly broken: Fault[] = [];
  readonly threads = new Map<string, Tip>();
  /** How many events each call has. */
  readonly calls = new Map<string, number>();
  events = 0;
  sawHead: boolean;
  #head: Tip = EMPTY_CHAIN;
  readonly #isWhole: boolean;
  readonly #wanted: string | undefined;
  readonly #tipped = new Set<string>();
  readonly #erasures = new Erasures((row, problem) => this.fault(row.thread_id, row.seq, problem));

  constructor(isWhole: boolean, wanted: string | undefined) {
    this.#isWhole = isWhole;
    this.#wanted = wanted;
    this.sawHead = wanted === CHAIN_START;
  }

  /** How many events were erased with their threads. */
  get erased(): number {
    return this.#erasures.count;
  }

  /** Whether a call was erased, and so is not indexed. */
  isErased(call_id: string): boolean {
    return this.#erasures.calls.has(call_id);
  }

  /** What is still missing was erased by nobody. */
  endErasures(): void {
    this.#erasures.end();
  }

  fault(thread_id: string | null, seq: number | null, problem: string): void {
    if (this.broken.length < MOST_FAULTS) this.broken.push({ thread_id, seq, problem });
  }

  event(row: StoredEvent): void {
    this.events += 1;
    const { seq, thread_id } = row;
    this.#erasures.event(row);
    const own = faultOf(row, { isErased: row.data === null });
    if (own) this.fault(thread_id, seq, `event ${seq} was changed: ${own}`);
    if (this.#isWhole) this.#inLedger(row);
    this.#inThread(row);
    this.#inCall(row);
  }

  #inLedger({ seq, thread_id, hash, head_hash }: StoredEvent): void {
    if (seq !== this.#head.seq + 1) {
      this.fault(null, this.#head.seq + 1, `events ${this.#head.seq + 1} to ${seq - 1} are missing`);
    } else if (headHash(this.#head.hash, hash) !== head_hash) {
      this.fault(thread_id, seq, `event ${seq} does not follow the one before it in the ledger`);
    }
    if (head_hash === this.#wanted) this.sawHead = true;
    this.#head = { seq, hash: head_hash };
  }

  #inThread({ seq, thread_id, thread_seq, prev_hash, hash }: StoredEvent): void {
    const last = this.threads.get(thread_id) ?? EMPTY_CHAIN;
    if (thread_seq !== last.seq + 1) {
      this.fault(
        thread_id,
        seq,
        `event ${seq} has place ${thread_seq} in its thread, after place ${last.seq}`,
      );
    } else if (prev_hash !== last.hash) {
      this.fault(thread_id, seq, `event ${seq} does not follow the one before it in its thread`);
    }
    this.threads.set(thread_id, { seq: thread_seq, hash });
  }

  #inCall({ seq, thread_id, call_id, call_version }: StoredEvent): void {
    if (call_id === null) return;
    const version = (this.calls.get(call_id) ?? 0) + 1;
    if (call_version !== version) {
      this.fault(
        thread_id,
        seq,
        `event ${seq} is number ${call_version ?? "none"} of its call, not ${version}`,
      );
    }
    this.calls.set(call_id, version);
  }

  end(head: Tip): void {
    const { seq, hash } = this.#head;
    if (head.seq > seq) this.fault(null, seq + 1, `events ${seq + 1} to ${head.seq} are missing`);
    else if (head.seq < seq) this.fault(null, seq, `the ledger ends at ${seq}, its head says ${head.seq}`);
    else if (head.hash !== hash) this.fault(null, seq, "the head is not the hash over all events");
  }

  tip({ thread_id, seq, hash }: ThreadTip): void {
    const last = this.threads.get(thread_id);
    if (last === undefined)
      this.fault(thread_id, null, `thread ${thread_id} is missing, with its ${seq} events`);
    else if (last.seq < seq) {
      this.fault(thread_id, null, `places ${last.seq + 1} to ${seq} of thread ${thread_id} are missing`);
    } else if (last.seq > seq || last.hash !== hash) {
      this.fault(thread_id, null, `thread ${thread_id} does not end where its tip says`);
    }
    this.#tipped.add(thread_id);
  }

  threadsWithoutTip(): void {
    for (const thread_id of this.threads.keys()) {
      if (!this.#tipped.has(thread_id)) this.fault(thread_id, null, `thread ${thread_id} has no tip`);
    }
  }
}
