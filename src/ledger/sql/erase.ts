import { ERASURE, sealErasure } from "../erase.ts";
import type { Erasure } from "../ledger.ts";
import type { Sealed } from "../seal.ts";
import { lockedHead, moveHead, threadTip, write } from "./append.ts";
import type { Dialect, Work } from "./database.ts";
import { Operation } from "./operation.ts";
import { dropState } from "./thread-states.ts";

interface OfThread {
  thread_id: string;
}

/**
 * Erases a thread's payloads: writes the event that says so, lets go of the calls and approvals, then of the payloads.
 * Undefined when there are none.
 */
export function* erase(dialect: Dialect, thread_id: string, erasure: Erasure): Work<Sealed | undefined> {
  const head = yield* lockedHead(dialect);
  const tip = yield* threadTip.row(dialect, { thread_id });
  const { count = 0 } = (yield* payloads.row(dialect, { thread_id })) ?? {};
  if (count === 0) return undefined;
  const sealed = sealErasure(thread_id, erasure, { head, thread: tip, count });
  yield* write(dialect, sealed);
  yield* moveHead.rows(dialect, sealed.head);
  yield* keepIds.rows(dialect, { thread_id });
  yield* dropApprovals.rows(dialect, { thread_id });
  yield* dropGrants.rows(dialect, { thread_id });
  yield* dropState.rows(dialect, { thread_id });
  yield* dropCalls.rows(dialect, { thread_id });
  yield* dropPayloads.rows(dialect, { thread_id });
  return sealed;
}

/** How many payloads a thread has that can be erased. */
export const payloads = new Operation((build, { thread_id }: OfThread) =>
  build
    .selectFrom("ledger_events")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("thread_id", "=", thread_id)
    .where("data", "is not", null)
    .where("type", "!=", ERASURE),
);

const dropPayloads = new Operation((build, { thread_id }: OfThread) =>
  build
    .updateTable("ledger_events")
    .set({ data: null })
    .where("thread_id", "=", thread_id)
    .where("data", "is not", null)
    .where("type", "!=", ERASURE),
);

const keepIds = new Operation((build, { thread_id }: OfThread) =>
  build
    .insertInto("ledger_erased")
    .columns(["approval_id", "thread_id"])
    .expression((make) =>
      make
        .selectFrom("ledger_approvals")
        .select(["approval_id", "thread_id"])
        .where("thread_id", "=", thread_id),
    ),
);

const dropApprovals = new Operation((build, { thread_id }: OfThread) =>
  build.deleteFrom("ledger_approvals").where("thread_id", "=", thread_id),
);

// What is remembered may say what the arguments were.
const dropGrants = new Operation((build, { thread_id }: OfThread) =>
  build.deleteFrom("ledger_grants").where("thread_id", "=", thread_id),
);

// By the events, which are indexed by thread; calls are not.
const dropCalls = new Operation((build, { thread_id }: OfThread) =>
  build
    .deleteFrom("ledger_calls")
    .where("call_id", "in", (make) =>
      make
        .selectFrom("ledger_events")
        .select("call_id")
        .where("thread_id", "=", thread_id)
        .where("call_id", "is not", null)
        .$castTo<{ call_id: string }>(),
    ),
);
