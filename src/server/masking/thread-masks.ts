import type { Ledger } from "../../ledger/index.ts";
import { Operation, type Database } from "../../ledger/sql/index.ts";
import { Inherited, inheritedOf, NOTHING } from "./inherited.ts";
import { ThreadMask, type Place } from "./thread-mask.ts";

/** The masks of a graph's policy, tightened by a context. */
export type MasksPort = (graph_id: string | null, context?: unknown) => Promise<readonly string[]>;

interface LedgerRows {
  ledger_events: {
    thread_id: string;
    thread_seq: number;
    seq: number;
    type: string;
    v: number;
    data: string;
  };
}

const MOST_KNOWN = 10_000;
const PAGE = 1_000;

/** What each thread hides from people. The ledger is the truth; what was read of it is kept. */
export class ThreadMasks {
  readonly #database: Database;
  readonly #ledger: Ledger;
  readonly #masksOf: MasksPort;
  readonly #known = new Map<string, ThreadMask>();
  readonly #ofGraphs = new Map<string, readonly string[]>();

  constructor(parts: { database: Database; ledger: Ledger; masksOf: MasksPort }) {
    this.#database = parts.database;
    this.#ledger = parts.ledger;
    this.#masksOf = parts.masksOf;
    parts.ledger.subscribe((events) => {
      for (const event of events) this.#known.get(event.thread_id)?.learn(event);
    });
  }

  /** What a thread hides, as of now. `context` is that of a run which is about to begin. */
  async of(
    { thread_id, graph_id }: { thread_id: string; graph_id: string | null },
    context?: unknown,
  ): Promise<ThreadMask> {
    const mask = this.#at(thread_id);
    mask.add(await this.#ofGraph(graph_id));
    if (context !== undefined) mask.add(await this.#masksOf(graph_id, context));
    await this.#readOn(thread_id, mask);
    return mask;
  }

  /** Brings a thread's mask, by whom it may be held, to what the ledger tells by now. */
  renew(thread_id: string, mask: ThreadMask): Promise<void> {
    return this.#readOn(thread_id, mask);
  }

  /** The masks that a graph's policy has, as far as it was looked at. */
  ofGraph(graph_id: string | null): readonly string[] {
    return (graph_id !== null && this.#ofGraphs.get(graph_id)) || [];
  }

  /** Looks at the policies of graphs. One that cannot be read says what is wrong where it is used. */
  async look(graph_ids: Iterable<string>): Promise<void> {
    for (const graph_id of graph_ids) await this.#ofGraph(graph_id).catch(() => []);
  }

  /** A text without anything that any thread known here hides, such as a line for the log. */
  hide(text: string): string {
    let shown = text;
    for (const mask of this.#known.values()) if (!mask.isEmpty) shown = mask.hide(shown);
    return shown;
  }

  async #ofGraph(graph_id: string | null): Promise<readonly string[]> {
    if (graph_id === null) return [];
    const known = this.#ofGraphs.get(graph_id);
    if (known !== undefined) return known;
    const masks = await this.#masksOf(graph_id);
    this.#ofGraphs.set(graph_id, masks);
    return masks;
  }

  #at(thread_id: string): ThreadMask {
    const known = this.#known.get(thread_id);
    if (known !== undefined) return known;
    // What is forgotten is read again.
    if (this.#known.size >= MOST_KNOWN)
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    const mask = new ThreadMask();
    this.#known.set(thread_id, mask);
    return mask;
  }

  /** Reads until no mask has come that was not known from the beginning, also of what a copy was made of. */
  async #readOn(thread_id: string, mask: ThreadMask): Promise<void> {
    const origins = mask.origins ?? (await this.#inherit(thread_id, mask));
    for (let masks = -1; masks !== mask.masks;) {
      masks = mask.masks;
      for (const one of [thread_id, ...origins]) await this.#readThread(one, mask);
    }
  }

  async #inherit(thread_id: string, mask: ThreadMask): Promise<readonly string[]> {
    const row = await this.#database.read(() => inheritedOf.row(this.#database.dialect, { thread_id }));
    // Not there yet: it is looked at again.
    if (row === undefined) return [];
    const inherited = row.inherited_json === null ? NOTHING : Inherited.parse(JSON.parse(row.inherited_json));
    mask.inherit(inherited);
    return inherited.threads;
  }

  /** Other processes write to the ledger, too, so it is asked each time; a thread that hides nothing costs one look. */
  async #readThread(thread_id: string, mask: ThreadMask): Promise<void> {
    const { masks } = mask;
    const { seq, thread_seq } = mask.readIn(thread_id);
    const { dialect } = this.#database;
    const given = { thread_id, thread_seq };
    const news = await this.#database.read(() => newest.row(dialect, given));
    if (news === undefined || news.seq === null || news.thread_seq === null) return;
    const end = { seq: Number(news.seq), thread_seq: Number(news.thread_seq) };
    if (!mask.isEmpty || (await this.#database.read(() => masked.row(dialect, given))) !== undefined)
      for (let after = seq; after < end.seq;) {
        const page = await this.#ledger.events({ thread_id, after, limit: PAGE });
        for (const event of page) mask.learn(event);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.seq;
      }
    mask.keepRead(thread_id, end, masks);
  }
}

type Behind = { thread_id: string } & Pick<Place, "thread_seq">;

/** The end of a thread behind a place; PostgreSQL tells large numbers as texts. */
const newest = new Operation<
  Behind,
  { seq: number | string | null; thread_seq: number | string | null },
  LedgerRows
>((build, { thread_id, thread_seq }) =>
  build
    .selectFrom("ledger_events")
    .select(({ fn }) => [
      fn.max<number | string | null>("seq").as("seq"),
      fn.max<number | string | null>("thread_seq").as("thread_seq"),
    ])
    .where("thread_id", "=", thread_id)
    .where("thread_seq", ">", thread_seq),
);

/** A call behind a place that was begun under masks. */
const masked = new Operation<Behind, { seq: number }, LedgerRows>((build, { thread_id, thread_seq }) =>
  build
    .selectFrom("ledger_events")
    .select("seq")
    .where("thread_id", "=", thread_id)
    .where("thread_seq", ">", thread_seq)
    .where("type", "=", "tool_call_started")
    .where("v", ">=", 3)
    .where("data", "like", '%"mask":[%')
    .limit(1),
);
