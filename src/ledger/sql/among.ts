import { sql, type Expression, type RawBuilder, type SqlBool } from "kysely";

/**
 * The ids of threads, as a query on tables that others keep in the ledger's own database: it is made part of the
 * ledger's query. A ledger in memory has no such tables, so nothing in it is among them.
 */
export type ThreadIds = Expression<{ thread_id: string }>;

/** Whether a row's thread is one of these. */
export function isAmong(ids: ThreadIds | undefined): RawBuilder<SqlBool> {
  return sql<SqlBool>`thread_id in ${ids}`;
}
