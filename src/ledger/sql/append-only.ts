import { CompiledQuery } from "kysely";
import type { Dialect } from "./database.ts";

/** Triggers that let nobody change or remove an event without taking the triggers away first. */
export function appendOnly(dialect: Dialect): CompiledQuery[] {
  return (dialect === "sqlite" ? sqlite : postgres).map((statement) => CompiledQuery.raw(statement));
}

const refuse = "the ledger is append-only";

/** Lets payloads go of a thread whose newest event says that they were erased, and nothing else. */
export function erasable(dialect: Dialect): CompiledQuery[] {
  return (dialect === "sqlite" ? erasableSqlite : erasablePostgres).map((statement) =>
    CompiledQuery.raw(statement),
  );
}

const sqlite = [
  `create trigger ledger_events_no_update before update on ledger_events
   begin select raise(abort, '${refuse}'); end`,
  `create trigger ledger_events_no_delete before delete on ledger_events
   begin select raise(abort, '${refuse}'); end`,
  // INSERT OR REPLACE removes the old row without firing the trigger above, so a key that exists is refused first.
  `create trigger ledger_events_no_replace before insert on ledger_events
   when exists (select 1 from ledger_events where seq = new.seq)
     or exists (select 1 from ledger_events where thread_id = new.thread_id and thread_seq = new.thread_seq)
     or exists (select 1 from ledger_events where call_id = new.call_id and call_version = new.call_version)
   begin select raise(abort, '${refuse}'); end`,
];

const postgres = [
  `create function ledger_refuse() returns trigger language plpgsql as
   $$ begin raise exception '${refuse}'; end $$`,
  `create trigger ledger_events_no_change before update or delete on ledger_events
   for each row execute function ledger_refuse()`,
  `create trigger ledger_events_no_truncate before truncate on ledger_events
   for each statement execute function ledger_refuse()`,
];

/** All but the payload, which is what may go. */
const KEPT = [
  ...["seq", "thread_id", "thread_seq", "at", "run_id", "call_id", "call_version", "type", "v"],
  ...["data_digest", "prev_hash", "hash", "head_hash"],
];

/** Whether the row is one of a thread that ends with its erasure. The end is looked up, which is quick in any thread. */
const isErased = `old.type <> 'thread_erased' and exists (
    select 1 from ledger_threads tip
      join ledger_events newest on newest.thread_id = tip.thread_id and newest.thread_seq = tip.seq
     where tip.thread_id = old.thread_id and newest.type = 'thread_erased')`;

const isSame = (comparison: string): string =>
  KEPT.map((column) => `new.${column} ${comparison} old.${column}`).join(" and ");

const erasableSqlite = [
  "drop trigger ledger_events_no_update",
  `create trigger ledger_events_no_update before update on ledger_events
   when not (new.data is null and ${isSame("is")} and ${isErased})
   begin select raise(abort, '${refuse}'); end`,
];

const erasablePostgres = [
  `create function ledger_refuse_change() returns trigger language plpgsql as
   $$ begin
     if new.data is null and ${isSame("is not distinct from")} and ${isErased} then return new; end if;
     raise exception '${refuse}';
   end $$`,
  "drop trigger ledger_events_no_change on ledger_events",
  `create trigger ledger_events_no_change before update on ledger_events
   for each row execute function ledger_refuse_change()`,
  `create trigger ledger_events_no_removal before delete on ledger_events
   for each row execute function ledger_refuse()`,
];
