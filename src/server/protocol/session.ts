import { AgentTree, type AgentNode } from "./agent-tree.ts";
import { EventLog } from "./event-log.ts";
import { number, tell, Telling, type Happening, type Told } from "./event.ts";
import type { ThreadMask } from "../masking/thread-mask.ts";
import type { Tape } from "./tape.ts";

/** What is told of a thread, and the run that its lifecycle events are of. */
export interface Saying {
  happenings: readonly Happening[];
  run_id: string | null;
  /** What the thread hides from people. */
  mask?: ThreadMask | null;
}

/**
 * What clients follow of one thread: the events of its runs in one order. It lives as long as somebody follows the
 * thread or a run that was begun for such a client goes on.
 */
export class Session {
  readonly thread_id: string;
  readonly log = new EventLog();
  /** Asked before anything is told. Whose thread it is may be another matter by then, and who may not hear it leaves. */
  readonly guests = new Set<() => Promise<void>>();
  readonly #tree = new AgentTree();
  readonly #onError: (error: unknown) => void;
  // A later session of the thread goes on behind this one, since clients take smaller numbers for what they have seen.
  #seq = Date.now() * 1_000;
  #last: Promise<void> = Promise.resolve();

  constructor(thread_id: string, onError: (error: unknown) => void) {
    this.thread_id = thread_id;
    this.#onError = onError;
  }

  /** The number of the newest event. */
  get seq(): number {
    return this.#seq;
  }

  get tree(): AgentNode | null {
    return this.#tree.root();
  }

  /** Tells what a run tells, once those before it have told all. Resolves at its end. */
  follow(tape: Tape): Promise<void> {
    return this.#afterwards(async () => {
      this.log.mark();
      for await (const told of tape.read()) this.#append(told, tape.run_id);
    });
  }

  /** Tells of what is not of a run that is followed. What is found is told in its place, whenever it is found. */
  say(find: () => Promise<Saying> | Saying): Promise<void> {
    return this.#afterwards(async () => {
      const { happenings, run_id, mask } = await find();
      const telling = new Telling(mask ?? null);
      for (const happening of happenings) this.#append(tell(happening, telling), run_id);
    });
  }

  #afterwards(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last
      .then(async () => {
        for (const guest of this.guests) await guest();
        await work();
      })
      .catch(this.#onError);
    return this.#last;
  }

  #append(told: Told, run_id: string | null): void {
    this.#seq += 1;
    const isOfRun = told.lifecycle !== null && told.namespace.length === 0 && run_id !== null;
    // The client knows by this form which run it is that began or ended.
    const event_id = isOfRun ? `synth:${run_id}:${this.#seq}` : String(this.#seq);
    this.#tree.take(told);
    this.log.append(number(told, this.#seq, event_id));
  }
}
