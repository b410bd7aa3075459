import type { Run } from "./run.ts";
import type { StreamMode } from "./stream-modes.ts";

/** What is known of a run as it begins. */
export interface BegunRun {
  graph_id: string;
  /** The interrupts that it brings answers to. */
  answered: readonly string[];
}

/** A client that watches a thread, whichever runs come. */
export interface Feed {
  /** What it wants to see of runs that are begun without a wish of their own, as after a decision. */
  modes: readonly StreamMode[];
  /** Is told of each run that begins on the thread, before its first event. */
  onRun(run: Run, facts: BegunRun): void;
}

/** Who watches which thread. */
export class Feeds {
  readonly #feeds = new Map<string, Set<Feed>>();

  /** Adds a feed. Returns how it leaves. */
  add(thread_id: string, feed: Feed): () => void {
    const feeds = this.#feeds.get(thread_id) ?? new Set();
    this.#feeds.set(thread_id, feeds.add(feed));
    return () => {
      feeds.delete(feed);
      if (feeds.size === 0 && this.#feeds.get(thread_id) === feeds) this.#feeds.delete(thread_id);
    };
  }

  /** A run's own modes, and those of the clients that watch its thread. */
  modesFor(thread_id: string, own: readonly StreamMode[]): StreamMode[] {
    const watched = [...(this.#feeds.get(thread_id) ?? [])].flatMap(({ modes }) => modes);
    return [...new Set([...own, ...watched])];
  }

  tell(run: Run, facts: BegunRun): void {
    for (const feed of this.#feeds.get(run.thread_id) ?? []) feed.onRun(run, facts);
  }
}
