import { isoTime } from "../../desk/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { assertMay, noThread } from "../identity/may.ts";
import type { Principal } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { emptyThread, threadOf } from "../threads/new-thread.ts";

/** The thread of a run that is about to begin, which may not be there yet. */
export interface ThreadToBe {
  /** As it stands, or as it will be made. */
  row: ThreadRow;
  /** Makes it, where it is not there: the last thing before the run begins, so that what is refused leaves no thread. */
  made: () => Promise<ThreadRow>;
}

/**
 * @param wanted.mayMake whether the thread is made where there is none.
 * @throws {ServerError} `thread_not_found`; what `made` throws where somebody else made it meanwhile.
 */
export async function threadToBe(
  parts: ServerParts,
  thread_id: string,
  { mayMake, by }: { mayMake: boolean; by: Principal },
): Promise<ThreadToBe> {
  const { ports, ttl } = parts;
  const there = await ports.threads.get(thread_id);
  if (there) return { row: there, made: () => Promise.resolve(there) };
  if (!mayMake || (await ports.threads.isOfOthers(thread_id, by))) throw noThread(thread_id);
  const row = emptyThread(thread_id, {}, { at: isoTime(ports.clock), owner: by.id, ttl });
  return {
    row,
    async made() {
      if (await ports.threads.add(row, by)) return row;
      // Somebody was first, who may have been the same.
      await assertMay(parts, by, thread_id, "changes");
      return threadOf(ports, thread_id);
    },
  };
}
