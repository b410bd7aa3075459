import { CompiledQuery } from "kysely";
import type { Dialect } from "./database.ts";

/** Triggers that let nobody change or remove an event without taking the triggers away first. */
export function appendOnly(dialect: Dialect): CompiledQuery[] {
  return (dialect === "sqlite" ? sqlite : postgres).map((statement) => CompiledQuery.raw(statement));
}

const refuse = "the ledger is append-only";

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
