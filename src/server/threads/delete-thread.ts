import { isoTime } from "../../desk/index.ts";
import type { DecidedBy } from "../../ledger/index.ts";
import type { Work } from "../../ledger/sql/index.ts";
import { dropCheckpoints } from "../database/stored-checkpoints.ts";
import type { ThreadRow } from "../database/tables.ts";
import { dropAnswers } from "../keeping/answers-of.ts";
import { noteOwner } from "../keeping/former-owners.ts";
import { dropNotices } from "../notices/kept-notices.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import type { Run } from "../runs/run.ts";
import { dropMessages } from "../webhooks/outbox.ts";
import { closeCalls } from "./close-calls.ts";

const REASON = "The thread was deleted.";

/** How often it is tried again to be alone with a thread on which somebody begins runs all the time. */
const ROUNDS = 20;

/**
 * Deletes a thread: its runs are cancelled and its open calls closed. Then, in one commit, its checkpoints and whatever
 * else is kept of it go, and the ledger lets go of what its events hold.
 *
 * @throws {ServerError} `thread_busy`, `stopping`
 */
export async function deleteThread(
  parts: ServerParts,
  { thread_id }: Pick<ThreadRow, "thread_id">,
  by: DecidedBy,
  reason = REASON,
): Promise<void> {
  const { manager, ports } = parts;
  for (let round = 1; ; round += 1) {
    await manager.clear(thread_id, reason);
    try {
      await manager.alone(thread_id, () => erase(parts, thread_id, by, reason));
      break;
    } catch (error) {
      const isBusy = error instanceof ServerError && error.code === "thread_busy";
      if (!isBusy || round === ROUNDS) throw error;
    }
  }
  ports.registry.forget(thread_id);
  parts.sessions.forget(thread_id);
}

async function erase(parts: ServerParts, thread_id: string, by: DecidedBy, reason: string): Promise<void> {
  const { ledger, clock } = parts.ports;
  await closeCalls(parts, thread_id, { reason, by, isFinal: true });
  await ledger.erase(thread_id, {
    ...{ at: isoTime(clock), by },
    *along() {
      yield* noteOwner(parts.database, thread_id);
      yield* removing(parts, thread_id);
      yield* dropAnswers(parts.database, thread_id);
      yield* dropMessages(parts.database, thread_id);
      yield* dropNotices(parts.database, thread_id);
    },
  });
}

/** Deletes what LangGraph and this server keep of a thread. The ledger is another matter. */
function* removing({ database, ports }: ServerParts, thread_id: string): Work<void> {
  yield* dropCheckpoints(database, thread_id);
  yield* ports.threads.removing(thread_id);
}

/**
 * Deletes the thread of a run that was its only one, once the run has ended. Nobody asked for that, so what the ledger
 * holds of it stays. The run's stream is known a little longer, for a client whose connection broke just before the end.
 */
export async function forgetThread(parts: ServerParts, run: Run): Promise<void> {
  const { ports, manager, database } = parts;
  const { thread_id } = run;
  try {
    await run.done;
    if ((await ports.threads.get(thread_id)) === undefined) return;
    await manager.clear(thread_id, REASON);
    await closeCalls(parts, thread_id, { reason: REASON, by: { kind: "system" } });
    await database.run(() => removing(parts, thread_id));
  } catch (error) {
    ports.onError(error);
  }
}

/**
 * Erases what is left of a thread that is not there any more, or that was never this server's: what was deleted before
 * deleting erased, what ran without a thread of its own. False when there is nothing.
 */
export async function eraseLeft(parts: ServerParts, thread_id: string, by: DecidedBy): Promise<boolean> {
  const events = await parts.ports.ledger.events({ thread_id, limit: 1_000 });
  if (events.every(({ type }) => type === "thread_erased")) return false;
  await erase(parts, thread_id, by, REASON);
  return true;
}
