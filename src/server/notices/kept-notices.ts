import { ask, askOne, type Database, type Work } from "../../ledger/sql/index.ts";
import type { Message, Outbox } from "../webhooks/outbox.ts";
import { withoutThread } from "./notice-body.ts";

/** A question that its target is not told of by itself, but later, together with others. */
export interface Quiet {
  target: string;
  approval_id: string;
  thread_id: string;
  quiet_until: string;
}

interface NoticeTables {
  notice_cursors: { target: string; seq: number };
  notices_quiet: Quiet;
  ledger_approvals: { approval_id: string };
}

/** What follows from events of the ledger for one target. */
export interface Step {
  /** How far it was followed before, and how far it is now. */
  from: number;
  to: number;
  messages: readonly Message[];
  quiet: readonly Quiet[];
}

/** How far the ledger was followed for each target, and what is told later. On disk, for all processes on the store. */
export class KeptNotices {
  readonly #database: Database;
  readonly #outbox: Outbox;

  constructor(database: Database, outbox: Outbox) {
    this.#database = database;
    this.#outbox = outbox;
  }

  /** Begins to follow for a target, unless it was begun before. */
  async begin(target: string, seq: number): Promise<void> {
    const insert = this.#build()
      .insertInto("notice_cursors")
      .values({ target, seq })
      .onConflict((conflict) => conflict.column("target").doNothing())
      .compile();
    await this.#database.run(() => ask(insert));
  }

  async cursor(target: string): Promise<number> {
    const select = this.#build()
      .selectFrom("notice_cursors")
      .select("seq")
      .where("target", "=", target)
      .compile();
    const row = await this.#database.read(() => askOne(select));
    if (row === undefined) throw new TypeError(`Nobody has begun to follow for target ${target}.`);
    return row.seq;
  }

  /** Goes on with what follows from events, in one commit; false when another process did. */
  async advance(target: string, { from, to, messages, quiet }: Step): Promise<boolean> {
    const move = this.#build()
      .updateTable("notice_cursors")
      .set({ seq: to })
      .where("target", "=", target)
      .where("seq", "=", from)
      .returning("seq")
      .compile();
    const keeping = (one: Quiet) =>
      this.#build()
        .insertInto("notices_quiet")
        .values(one)
        .onConflict((conflict) => conflict.columns(["target", "approval_id"]).doNothing())
        .compile();
    const outbox = this.#outbox;
    const isThere = (approval_id: string | null): Work<boolean> => this.#isThere(approval_id);
    return this.#database.run(function* () {
      if ((yield* askOne(move)) === undefined) return false;
      for (const one of quiet) if (yield* isThere(one.approval_id)) yield* ask(keeping(one));
      for (const one of messages) if (yield* isThere(one.subject)) yield* outbox.adding(one);
      return true;
    });
  }

  /** Whether an approval was not erased since it was read; it is not, either, before what hangs on that is written. */
  *#isThere(approval_id: string | null): Work<boolean> {
    const select = this.#build()
      .selectFrom("ledger_approvals")
      .select("approval_id")
      .where("approval_id", "=", approval_id);
    const locked = this.#database.dialect === "postgres" ? select.forShare() : select;
    return (yield* askOne(locked.compile())) !== undefined;
  }

  /** All that is told to a target later, once some of it is due; else nothing. */
  async quietDue(target: string, at: string): Promise<Quiet[]> {
    const rows = this.#build().selectFrom("notices_quiet").where("target", "=", target);
    const first = rows.select("approval_id").where("quiet_until", "<=", at).limit(1).compile();
    const all = rows.selectAll().orderBy("quiet_until").orderBy("approval_id").compile();
    return this.#database.read(function* () {
      return (yield* askOne(first)) === undefined ? [] : yield* ask(all);
    });
  }

  /** Tells what was to be told later, in one commit; false when another process did. */
  async tellQuiet(quiet: readonly Quiet[], message: Message | null): Promise<boolean> {
    const drops = quiet.map(({ target, approval_id }) =>
      this.#build()
        .deleteFrom("notices_quiet")
        .where("target", "=", target)
        .where("approval_id", "=", approval_id)
        .returning("approval_id")
        .compile(),
    );
    const outbox = this.#outbox;
    const work = function* (): Work<boolean> {
      for (const drop of drops) if ((yield* askOne(drop)) === undefined) throw new ToldElsewhere();
      if (message !== null) yield* outbox.adding(message);
      return true;
    };
    return this.#database.run(work).catch((error: unknown) => {
      if (error instanceof ToldElsewhere) return false;
      throw error;
    });
  }

  #build() {
    return this.#database.builder<NoticeTables>();
  }
}

/** Thrown, so that nothing of the work stays. */
class ToldElsewhere extends Error {}

/** Forgets of a thread that goes what was to be told later, alone or together with what is of others. */
export function* dropNotices(database: Database, thread_id: string): Work<void> {
  const build = database.builder<NoticeTables & { outbox: Message }>();
  yield* ask(build.deleteFrom("notices_quiet").where("thread_id", "=", thread_id).compile());
  const digests = build.selectFrom("outbox").select(["message_id", "body"]).where("thread_id", "is", null);
  for (const { message_id, body } of yield* ask(digests.compile())) {
    const left = withoutThread(body, thread_id);
    if (left === body) continue;
    yield* ask(
      left === null
        ? build.deleteFrom("outbox").where("message_id", "=", message_id).compile()
        : build.updateTable("outbox").set({ body: left }).where("message_id", "=", message_id).compile(),
    );
  }
}
