import type { Kysely } from "kysely";
import { EMPTY_CHAIN } from "../chain.ts";
import type { Snapshot } from "../snapshot.ts";
import { ask, askOne, type Read } from "./database.ts";
import { headRow } from "./read.ts";
import { hasTakes, takers } from "./takes.ts";
import type { LedgerTables } from "./tables.ts";

/** Rows a turn: few enough to block nobody, many enough to be quick. */
const EVENTS_A_PAGE = 250;
const CALLS_A_PAGE = 50;

/** The ledger as one unmoving view of the database shows it: all of it, or one thread. */
export function sqlSnapshot(
  read: Read,
  build: Kysely<LedgerTables>,
  dialect: "sqlite" | "postgres",
  thread_id?: string,
): Snapshot {
  const events = build.selectFrom("ledger_events").selectAll();
  const threads = build.selectFrom("ledger_threads").selectAll();
  const calls = build.selectFrom("ledger_calls").selectAll();
  const approvals = build.selectFrom("ledger_approvals").selectAll();
  const takes = build.selectFrom("ledger_takes").selectAll();
  const isAll = thread_id === undefined;
  const eventsHere = isAll ? events : events.where("thread_id", "=", thread_id);
  const threadsHere = isAll ? threads : threads.where("thread_id", "=", thread_id);
  const callsHere = isAll ? calls : calls.where("thread_id", "=", thread_id);
  const approvalsHere = isAll ? approvals : approvals.where("thread_id", "=", thread_id);
  const headOf = (hash: string) =>
    build.selectFrom("ledger_events").select("seq").where("head_hash", "=", hash).limit(1);
  return {
    head: async () => (await read(() => headRow.row(dialect, {}))) ?? EMPTY_CHAIN,
    hasHead: async (hash) => (await read(() => askOne(headOf(hash).compile()))) !== undefined,
    events: (after) => {
      const page = eventsHere.where("seq", ">", after).orderBy("seq").limit(EVENTS_A_PAGE);
      return read(() => ask(page.compile()));
    },
    threads: (after) => {
      const page = threadsHere.where("thread_id", ">", after).orderBy("thread_id").limit(EVENTS_A_PAGE);
      return read(() => ask(page.compile()));
    },
    calls: (after) => {
      const page = callsHere.where("call_id", ">", after).orderBy("call_id").limit(CALLS_A_PAGE);
      return read(() => ask(page.compile()));
    },
    approvals: (after) => {
      const page = approvalsHere.where("approval_id", ">", after).orderBy("approval_id").limit(EVENTS_A_PAGE);
      return read(() => ask(page.compile()));
    },
    eventsOfCalls: (ids) => read(() => ask(events.where("call_id", "in", ids).orderBy("seq").compile())),
    approvalsOfCalls: (ids) =>
      read(() => ask(approvals.where("call_id", "in", ids).orderBy("request_seq").compile())),
    callsWithTakes: (after) =>
      read(function* () {
        if (!isAll || !(yield* hasTakes(dialect))) return [];
        return yield* takers.rows(dialect, { after });
      }),
    takesOfCalls: (ids) =>
      read(function* () {
        if (!(yield* hasTakes(dialect))) return [];
        return yield* ask(takes.where("call_id", "in", ids).compile());
      }),
  };
}
