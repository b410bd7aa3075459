import type { Feeds } from "../runs/feeds.ts";
import type { Run, RunOutcome } from "../runs/run.ts";
import { errorData } from "../to-json.ts";
import { Session } from "./session.ts";
import { Tape, type Ending } from "./tape.ts";

/** How long a run's events can still be read when nobody has followed it to its end, in milliseconds. */
const LINGER_MS = 3_000;

/** A session that does not go while this is held. */
export interface Held {
  session: Session;
  /** Whether it was made for this. */
  isNew: boolean;
  release: () => void;
}

interface Kept {
  session: Session;
  /** Who holds it: clients, and runs that are followed. */
  holders: number;
  leave: () => void;
  timer: NodeJS.Timeout | undefined;
}

/** The sessions of the threads that somebody follows. */
export class Sessions {
  readonly #feeds: Feeds;
  readonly #onError: (error: unknown) => void;
  readonly #kept = new Map<string, Kept>();

  constructor({ feeds, onError }: { feeds: Feeds; onError: (error: unknown) => void }) {
    this.#feeds = feeds;
    this.#onError = onError;
  }

  /** How many there are. */
  get size(): number {
    return this.#kept.size;
  }

  get(thread_id: string): Session | undefined {
    return this.#kept.get(thread_id)?.session;
  }

  /** The thread's session, made if need be. Whoever holds it hears of every run that begins from now on. */
  hold(thread_id: string): Held {
    const known = this.#kept.get(thread_id);
    const kept = known ?? this.#make(thread_id);
    return { session: kept.session, isNew: known === undefined, release: this.#holdOnce(kept) };
  }

  /** Follows a run to its end. */
  follow(run: Run, facts: { graph_id: string; answered: readonly string[] }): void {
    const kept = this.#kept.get(run.thread_id);
    if (kept === undefined || run.teller !== null) return;
    const tape = new Tape(run, facts.graph_id, facts.answered);
    run.teller = tape;
    const release = this.#holdOnce(kept, LINGER_MS);
    void kept.session.follow(tape).then(release);
    void run.done.then((outcome) => {
      const { interrupts = [], values } = run.result ?? {};
      tape.close(endingOf(outcome), interrupts, values);
    });
  }

  #make(thread_id: string): Kept {
    const session = new Session(thread_id, this.#onError);
    const leave = this.#feeds.add(thread_id, { modes: [], onRun: (run, facts) => this.follow(run, facts) });
    const kept: Kept = { session, holders: 0, leave, timer: undefined };
    this.#kept.set(thread_id, kept);
    return kept;
  }

  #holdOnce(kept: Kept, linger = 0): () => void {
    clearTimeout(kept.timer);
    kept.timer = undefined;
    kept.holders += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      kept.holders -= 1;
      if (kept.holders > 0) return;
      if (linger === 0) this.#drop(kept);
      else kept.timer = setTimeout(() => this.#drop(kept), linger).unref();
    };
  }

  /** Forgets a thread that was deleted: whoever makes another one of its name hears nothing of it. */
  forget(thread_id: string): void {
    const kept = this.#kept.get(thread_id);
    if (kept) this.#drop(kept);
  }

  #drop(kept: Kept): void {
    kept.leave();
    const { thread_id } = kept.session;
    if (this.#kept.get(thread_id) === kept) this.#kept.delete(thread_id);
  }
}

/** The word of the protocol for how a run ended; `null` for one that goes on at the server's next start. */
function endingOf({ status, error }: RunOutcome): Ending | null {
  switch (status) {
    case "success":
      return { status: "completed" };
    case "error":
      return { status: "failed", error: errorData(error).message };
    case "interrupted":
    case "cancelled":
      return { status: "interrupted" };
    case "pending":
    case "running":
    case "drained":
      return null;
  }
}
