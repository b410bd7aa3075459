import { sha256 } from "../../ledger/index.ts";
import { ask, askOne, Operation, type Database, type Work } from "../../ledger/sql/index.ts";
import type { ServerTables } from "../database/tables.ts";
import { hasRole, type Principal } from "../identity/principal.ts";

interface Tables extends ServerTables {
  /** Whose a thread was that is deleted, as a digest: enough to know them again, and no more. */
  keeping_owners: { thread_id: string; owner_digest: string };
  ledger_events: { thread_id: string };
  checkpoints: { thread_id: string };
}

interface OfThread {
  thread_id: string;
}

const former = new Operation<OfThread, { owner_digest: string }, Tables>((build, { thread_id }) =>
  build.selectFrom("keeping_owners").select("owner_digest").where("thread_id", "=", thread_id),
);
const recorded = new Operation<OfThread, OfThread, Tables>((build, { thread_id }) =>
  build.selectFrom("ledger_events").select("thread_id").where("thread_id", "=", thread_id).limit(1),
);
const stated = new Operation<OfThread, OfThread, Tables>((build, { thread_id }) =>
  build.selectFrom("checkpoints").select("thread_id").where("thread_id", "=", thread_id).limit(1),
);

/** Notes whose a thread is that is about to go, so that its id is theirs still and nobody else's. */
export function* noteOwner(database: Database, thread_id: string): Work<void> {
  const build = database.builder<Tables>();
  const owned = build.selectFrom("server_threads").select("owner").where("thread_id", "=", thread_id);
  const { owner = null } = (yield* askOne(owned.compile())) ?? {};
  if (owner === null) return;
  const owner_digest = digestOf(thread_id, owner);
  const insert = build
    .insertInto("keeping_owners")
    .values({ thread_id, owner_digest })
    .onConflict((conflict) => conflict.column("thread_id").doUpdateSet({ owner_digest }));
  yield* ask(insert.compile());
}

/**
 * Whether an id that no thread has must not become a thread of theirs: the ledger or LangGraph have something under it,
 * as of a script or of a run without a thread, and whoever owns the thread would see that and could erase it. The id of
 * a thread that was theirs, and an admin's choice, stand.
 */
export function* isOfOthers(database: Database, thread_id: string, by: Principal): Work<boolean> {
  if (hasRole(by)) return false;
  const { dialect } = database;
  const given = { thread_id };
  const isFree =
    (yield* recorded.row(dialect, given)) === undefined && (yield* stated.row(dialect, given)) === undefined;
  if (isFree) return false;
  const was = yield* former.row(dialect, given);
  return was === undefined || by.id === null || was.owner_digest !== digestOf(thread_id, by.id);
}

function digestOf(thread_id: string, owner: string): string {
  return sha256(`${thread_id}\n${owner}`);
}
