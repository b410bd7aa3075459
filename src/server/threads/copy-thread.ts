import { randomUUID } from "node:crypto";
import { isoTime } from "../../desk/index.ts";
import { ask } from "../../ledger/sql/index.ts";
import { copyCheckpoints } from "../database/stored-checkpoints.ts";
import type { ServerTables, ThreadRow } from "../database/tables.ts";
import type { ServerParts } from "../parts.ts";
import { assertHarmlessState } from "./harmless.ts";
import { threadOf } from "./new-thread.ts";
import { stateOf } from "./thread-view.ts";

/** A copy acts on no decision of the first thread: what goes on in it may ask, or begin anew. @throws {ServerError} */
async function assertHarmlessCopy(parts: ServerParts, row: ThreadRow): Promise<void> {
  const state = await stateOf(parts.ports, row);
  if (row.graph_id === null || state === null) return;
  const tasks = state.tasks.filter(
    ({ result, interrupts }) => result === undefined && interrupts.length === 0,
  );
  await assertHarmlessState(parts, row.graph_id, { tasks });
}

/**
 * Copies a thread with its states. What is open on it is not copied: where the first thread waits for an answer, the
 * copy stands before the question, with its tasks in `next`. A run with no input asks there anew, as the copy's own;
 * new input leaves them behind. What the first thread hides, the copy hides too.
 *
 * @throws {ServerError} `thread_busy`: a copy of a run in the middle could run its tools again.
 */
export async function copyThread(
  parts: ServerParts,
  { thread_id }: ThreadRow,
  owner: string | null,
): Promise<ThreadRow> {
  const { manager, ports, database } = parts;
  return manager.alone(thread_id, async () => {
    const row = await threadOf(ports, thread_id);
    await assertHarmlessCopy(parts, row);
    const hidden = (await ports.masks.of(row)).bequeathed(thread_id);
    const at = isoTime(ports.clock);
    const copy: ThreadRow = {
      ...row,
      ...{
        thread_id: randomUUID(),
        created_at: at,
        updated_at: at,
        status: "idle",
        error: null,
        run_id: null,
      },
      ...{ owner, requested_by: null, lane_owner: null, inherited_json: JSON.stringify(hidden) },
    };
    const insert = database.builder<ServerTables>().insertInto("server_threads").values(copy).compile();
    await database.run(function* () {
      yield* ask(insert);
      yield* copyCheckpoints(database, thread_id, copy.thread_id);
    });
    return copy;
  });
}
