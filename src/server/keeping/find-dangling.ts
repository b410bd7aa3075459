import { ask, type Database, type Read } from "../../ledger/sql/index.ts";
import type { ServerTables } from "../database/tables.ts";

interface Tables extends ServerTables {
  ledger_calls: { call_id: string; thread_id: string; is_answered: number };
  checkpoints: { thread_id: string };
}

/** At most so many of a kind are named. */
const MOST = 100;

/** What points to something that is not there, one line each. Looks at one moment of the store. */
export async function findDangling(database: Database): Promise<string[]> {
  return database.snapshot(async (read) => [
    ...(await callsOfNoThread(database, read)),
    ...(await busyWithoutRun(database, read)),
    ...(await runsOfNoThread(database, read)),
  ]);
}

/** Calls that still wait for something on a thread that neither this server nor LangGraph knows. */
async function callsOfNoThread(database: Database, read: Read): Promise<string[]> {
  const build = database.builder<Tables>();
  const select = build
    .selectFrom("ledger_calls")
    .select(["call_id", "thread_id"])
    .where("is_answered", "=", 0)
    .where("thread_id", "not in", build.selectFrom("server_threads").select("thread_id"))
    .where("thread_id", "not in", build.selectFrom("checkpoints").select("thread_id"))
    .limit(MOST)
    .compile();
  return (await read(() => ask(select))).map(
    ({ call_id, thread_id }) => `call ${call_id} waits on thread ${thread_id}, which is gone`,
  );
}

async function busyWithoutRun(database: Database, read: Read): Promise<string[]> {
  const build = database.builder<Tables>();
  const live = build
    .selectFrom("server_runs")
    .select("run_id")
    .where("status", "in", ["pending", "running", "drained"]);
  const select = build
    .selectFrom("server_threads")
    .select("thread_id")
    .where("status", "=", "busy")
    .where((row) => row.or([row("run_id", "is", null), row("run_id", "not in", live)]))
    .limit(MOST)
    .compile();
  return (await read(() => ask(select))).map(
    ({ thread_id }) => `thread ${thread_id} is busy, and no run of it goes on`,
  );
}

async function runsOfNoThread(database: Database, read: Read): Promise<string[]> {
  const build = database.builder<Tables>();
  const select = build
    .selectFrom("server_runs")
    .select(["run_id", "thread_id"])
    .where("thread_id", "not in", build.selectFrom("server_threads").select("thread_id"))
    .limit(MOST)
    .compile();
  return (await read(() => ask(select))).map(
    ({ run_id, thread_id }) => `run ${run_id} is of thread ${thread_id}, which is gone`,
  );
}
