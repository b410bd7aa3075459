import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Approval } from "../approval.ts";
import type { Call } from "../call.ts";
import { isForced } from "../forced.ts";
import type { LedgerEvent, RecordedEvent } from "../event.ts";
import { LedgerError } from "../ledger.ts";
import type { Appended, ApprovalQuery, Batch, Erasure, EventQuery, Lease, Ledger } from "../ledger.ts";
import type { Remembered, Verification } from "../ledger.ts";
import type { ThreadState } from "../thread-state.ts";
import { Listeners } from "../listeners.ts";
import { APPROVAL_LIMIT, cursorAfter, leaseIn, limitOf } from "../query.ts";
import { checkBatches } from "../seal-all.ts";
import { copyOf, type Sealed } from "../seal.ts";
import { readEvent, VERIFY } from "../stored-event.ts";
import { verify } from "../verify.ts";
import { append, GrantSpent } from "./append.ts";
import { CallCache } from "./call-cache.ts";
import { rememberedIn } from "./remembered.ts";
import { ask, askOne, isConstraintError, type Database, type Work } from "./database.ts";
import { erase } from "./erase.ts";
import { erasedApproval } from "./erased.ts";
import { ledgerMigrations } from "./migrations.ts";
import * as rows from "./read.ts";
import { readRecord } from "./recorded.ts";
import { sqlSnapshot } from "./sql-snapshot.ts";
import type { LedgerTables } from "./tables.ts";
import { readThreadState } from "./thread-states.ts";
import { NoRoom } from "./takes.ts";

/**
 * A ledger in a database, whose tables it brings to the newest version.
 *
 * @throws {LedgerError} `newer_schema`, `unwritable`
 */
export async function openSqlLedger(database: Database, { ownsDatabase = false } = {}): Promise<Ledger> {
  await database.migrate("ledger", ledgerMigrations);
  return new SqlLedger(database, ownsDatabase);
}

class SqlLedger implements Ledger {
  readonly url: string;
  readonly #database: Database;
  readonly #ownsDatabase: boolean;
  readonly #build: Kysely<LedgerTables>;
  readonly #cache = new CallCache();
  readonly remembered: Remembered;
  readonly #listeners = new Listeners();
  /** Writers of this process wait here for each other, so that listeners hear of events in the order of `seq`. */
  #writing: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(database: Database, ownsDatabase: boolean) {
    this.url = database.url;
    this.#database = database;
    this.#ownsDatabase = ownsDatabase;
    this.#build = database.builder<LedgerTables>();
    this.remembered = rememberedIn(database.dialect, (work) => this.#read(work));
  }

  async append(batch: Batch): Promise<Appended> {
    const all = await this.appendAll([batch]);
    return all.ok ? { ok: true, events: all.events, call: all.calls[0] ?? null } : all;
  }

  appendAll(batches: Batch[]): ReturnType<Ledger["appendAll"]> {
    const turn = this.#writing.then(() => this.#appendNow(batches));
    this.#writing = turn.catch(() => undefined);
    return turn;
  }

  async #appendNow(batches: Batch[]): ReturnType<Ledger["appendAll"]> {
    checkBatches(batches);
    const force = batches.some((batch) => batch.force ?? isForced(batch.events));
    const sealed = await this.#write(() => this.#appended(batches), force).catch((error: unknown) => {
      if (error instanceof GrantSpent) return { ok: false, isSpent: true } as const;
      if (error instanceof NoRoom) return { ok: false, full: error.limit } as const;
      throw error;
    });
    if (sealed === undefined) return { ok: false };
    if ("ok" in sealed) return sealed;
    for (const { call, rows: added } of sealed) if (call) this.#cache.set(call, added);
    const written = copyOf(sealed);
    this.#listeners.tell(written.events);
    return { ok: true, ...written };
  }

  *#appended(batches: Batch[]): Work<Sealed[] | undefined> {
    const sealed = yield* append(this.#database.dialect, batches, this.#cache);
    if (sealed) for (const { along } of batches) if (along) yield* along();
    return sealed;
  }

  erase(thread_id: string, erasure: Erasure): Promise<number> {
    const turn = this.#writing.then(() => this.#eraseNow(thread_id, erasure));
    this.#writing = turn.catch(() => undefined);
    return turn;
  }

  async #eraseNow(thread_id: string, erasure: Erasure): Promise<number> {
    const { dialect } = this.#database;
    const sealed = await this.#write(function* () {
      const erased = yield* erase(dialect, thread_id, erasure);
      if (erasure.along) yield* erasure.along();
      return erased;
    }, true);
    this.#cache.forget(thread_id);
    if (sealed === undefined) return 0;
    const { events } = copyOf([sealed]);
    this.#listeners.tell(events);
    return events.reduce((sum, { type, data }) => sum + (type === "thread_erased" ? data.events : 0), 0);
  }

  async isErased(approval_id: string): Promise<boolean> {
    const { dialect } = this.#database;
    return (await this.#read(() => erasedApproval.row(dialect, { approval_id }))) !== undefined;
  }

  async #write<Result>(work: () => Work<Result>, force: boolean): Promise<Result> {
    this.#assertOpen();
    try {
      return await this.#database.run(work, { force });
    } catch (error) {
      if (!isConstraintError(error)) throw error;
      throw new LedgerError("tampered", `The ledger holds an event where the next one belongs. ${VERIFY}`, {
        cause: error,
      });
    }
  }

  async #read<Result>(work: () => Work<Result>): Promise<Result> {
    this.#assertOpen();
    return this.#database.read(work);
  }

  thread(thread_id: string): Promise<ThreadState> {
    return this.#read(() => readThreadState(this.#database.dialect, thread_id));
  }

  call(call_id: string): Promise<Call | null> {
    return this.#read(() => rows.readCall(this.#database.dialect, call_id, this.#cache));
  }

  callOf(approval_id: string): Promise<Call | null> {
    const { dialect } = this.#database;
    const cache = this.#cache;
    return this.#read(function* () {
      const row = yield* rows.callIdOf.row(dialect, { approval_id });
      return row ? yield* rows.readCall(dialect, row.call_id, cache) : null;
    });
  }

  async approval(approval_id: string): Promise<Approval | null> {
    const call = await this.callOf(approval_id);
    return call?.approvals.find((one) => one.approval_id === approval_id) ?? null;
  }

  async approvals(query: ApprovalQuery): Promise<{ approvals: Approval[]; next_cursor: string | null }> {
    const { limit, query: page } = rows.approvalPage(this.#database.dialect, query);
    const found = await this.#read(() => ask(page));
    const last = found[limit - 1];
    const next_cursor = last && found.length > limit ? cursorAfter(last.request_seq) : null;
    return { approvals: found.slice(0, limit).map(rows.readRow), next_cursor };
  }

  async countApprovals(query: ApprovalQuery): Promise<number> {
    const counted = await this.#read(() => askOne(rows.approvalCount(this.#database.dialect, query)));
    return counted?.count ?? 0;
  }

  async due(at: string, limit: number): Promise<Approval[]> {
    const given = { at, limit: limitOf(limit, APPROVAL_LIMIT) };
    return (await this.#read(() => rows.dueApprovals.rows(this.#database.dialect, given))).map(rows.readRow);
  }

  async nextDeadline(): Promise<string | null> {
    const row = await this.#read(() => rows.nextDeadline.row(this.#database.dialect, {}));
    return row?.expires_at ?? null;
  }

  async openCalls(...[thread_id, { onTampered } = {}]: Parameters<Ledger["openCalls"]>): Promise<Call[]> {
    const { dialect } = this.#database;
    const ids = await this.#read(() =>
      thread_id === undefined
        ? rows.unanswered.rows(dialect, {})
        : rows.unansweredOf.rows(dialect, { thread_id }),
    );
    const calls: Call[] = [];
    for (const [index, { call_id }] of ids.entries()) {
      // A long list does not hold up the process.
      if (index % 50 === 49) await nextTurn();
      try {
        const call = await this.call(call_id);
        if (call && call.result === null) calls.push(call);
      } catch (error) {
        if (!(error instanceof LedgerError) || !["tampered", "newer_event"].includes(error.code)) throw error;
        if (onTampered === undefined) throw error;
        onTampered(error);
      }
    }
    return calls;
  }

  async events(query: EventQuery): Promise<LedgerEvent[]> {
    return (await this.#read(() => ask(rows.eventPage(this.#build, query)))).map(readEvent);
  }

  record(query: EventQuery): Promise<RecordedEvent[]> {
    return this.#read(() => readRecord(this.#build, this.#database.dialect, query));
  }

  async verify(options: { head?: string; thread_id?: string } = {}): Promise<Verification> {
    this.#assertOpen();
    const { dialect } = this.#database;
    return this.#database.snapshot((read) =>
      verify(sqlSnapshot(read, this.#build, dialect, options.thread_id), options),
    );
  }

  async head(): Promise<{ seq: number; hash: string }> {
    const row = await this.#read(() => rows.headRow.row(this.#database.dialect, {}));
    if (row !== undefined) return row;
    throw new LedgerError("tampered", "The ledger's head is missing. Restore the store from a backup.");
  }

  async lease(call_id: string): Promise<Lease | null> {
    return leaseIn(await this.#read(() => rows.leaseOf.row(this.#database.dialect, { call_id })));
  }

  async renewLease(call_id: string, lease: Lease): Promise<boolean> {
    const given = { call_id, ...lease };
    return (await this.#write(() => rows.renewLease.row(this.#database.dialect, given), false)) !== undefined;
  }

  subscribe(listener: (events: LedgerEvent[]) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    // What was begun is written first.
    await this.#writing;
    this.#isClosed = true;
    this.#listeners.clear();
    if (this.#ownsDatabase) await this.#database.close();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new LedgerError("closed", `The ledger ${this.url} is closed. Open it again.`);
  }
}
