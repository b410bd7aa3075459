import type { Kysely } from "kysely";
import type { RecordedEvent } from "../event.ts";
import type { EventQuery } from "../ledger.ts";
import { readRecorded } from "../stored-event.ts";
import { ask, type Dialect, type Work } from "./database.ts";
import { erasuresOf, isErased } from "./erased.ts";
import { recordPage } from "./read.ts";
import type { LedgerTables } from "./tables.ts";

/** A page of the record, erased events among them. @throws {LedgerError} `tampered`, `newer_event` */
export function* readRecord(
  build: Kysely<LedgerTables>,
  dialect: Dialect,
  query: EventQuery,
): Work<RecordedEvent[]> {
  const rows = yield* ask(recordPage(build, query).compile());
  const ends = yield* erasuresOf(dialect, rows);
  return rows.map((row) => readRecorded(row, isErased(row, ends)));
}
