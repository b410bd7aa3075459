import { ask, type Database, type Work } from "../../ledger/sql/index.ts";
import type { AnswerRow, ServerTables } from "../database/tables.ts";

interface KeepingTables extends ServerTables {
  /** The threads that a first answer is about. */
  keeping_answers: { key: string; thread_id: string };
}

/** Notes which threads a first answer is about, so that it goes with them; drops the notes of those that are too old. */
export function* noteThreads(
  database: Database,
  { key, body, created_at }: AnswerRow,
  oldest: string,
): Work<void> {
  const build = database.builder<KeepingTables>();
  yield* ask(
    build
      .deleteFrom("keeping_answers")
      .where("key", "in", (make) =>
        make.selectFrom("server_answers").select("key").where("created_at", "<", oldest),
      )
      .compile(),
  );
  if (created_at < oldest) return;
  for (const thread_id of threadsIn(body))
    yield* ask(
      build
        .insertInto("keeping_answers")
        .values({ key, thread_id })
        .onConflict((conflict) => conflict.doNothing())
        .compile(),
    );
}

/** Forgets the first answers that are about a thread. */
export function* dropAnswers(database: Database, thread_id: string): Work<void> {
  const build = database.builder<KeepingTables>();
  yield* ask(
    build
      .deleteFrom("server_answers")
      .where("key", "in", (make) =>
        make.selectFrom("keeping_answers").select("key").where("thread_id", "=", thread_id),
      )
      .compile(),
  );
  yield* ask(build.deleteFrom("keeping_answers").where("thread_id", "=", thread_id).compile());
}

/** The threads that an answer names. Ids of threads need no escapes in JSON. */
function threadsIn(body: string): Set<string> {
  return new Set([...body.matchAll(/"thread_id":"([^"\\]+)"/g)].map(([, id]) => id ?? ""));
}
