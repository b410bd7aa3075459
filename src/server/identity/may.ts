import type { ThreadRow } from "../database/tables.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { ownerOf, owns, sees, type Named } from "./own-threads.ts";
import { hasRole, type Principal, type Role } from "./principal.ts";

/** @returns what tells somebody that they may not do this, and who may. */
export function forbidden({ id, roles }: Principal, needs: readonly Role[], isOwners = false): ServerError {
  const wanted = [...needs, "admin"].join(" or ");
  const has = roles.size === 0 ? "no role" : [...roles].join(", ");
  const who = `"${id ?? "anybody"}" has ${has}`;
  const whose = isOwners ? " of the one whose thread it is" : "";
  const message = `You may not do this: it needs the role ${wanted}${whose}, and ${who}.`;
  return new ServerError("forbidden", message, { needs: [...needs, "admin"] });
}

export function noThread(thread_id: string): ServerError {
  return new ServerError("thread_not_found", `There is no thread "${thread_id}".`);
}

/** What a run or a state write means for who may ask for it. */
export type Act = "answers" | "changes";

/**
 * Refuses who may not do this to a thread: to end its questions is a reviewer's, and anything else is its owner's. A
 * thread that is not there yet may be made, and there is nothing to end on it.
 *
 * @throws {ServerError} `forbidden`; `thread_not_found` for the threads of others where they are not seen
 */
export async function assertMay(
  { ports }: Pick<ServerParts, "ports">,
  by: Principal,
  thread_id: string,
  act: Act,
): Promise<void> {
  if (hasRole(by)) return;
  const row = await ports.threads.get(thread_id);
  if (row !== undefined && !sees(by, row)) throw noThread(thread_id);
  if (act === "answers") {
    if (!hasRole(by, "reviewer")) throw forbidden(by, ["reviewer"]);
    if (row === undefined) throw noThread(thread_id);
  } else if (!hasRole(by, "requester") || (row !== undefined && !owns(by, row)))
    throw forbidden(by, ["requester"], true);
}

/** Whether they may cancel runs of a thread: it is its owner's to do. A thread that is not there yet becomes theirs. */
export async function mayCancel(
  parts: Pick<ServerParts, "ports">,
  by: Principal,
  named: Named,
): Promise<boolean> {
  if (hasRole(by)) return true;
  const owner = hasRole(by, "requester") ? await ownerOf(parts, named) : null;
  return owner === undefined || (by.id !== null && owner === by.id);
}

/**
 * Refuses who may not cancel a run, before anything is done, as `POST …/cancel` does.
 *
 * @param key how they asked for it.
 * @throws {ServerError} `forbidden`
 */
export async function assertMayCancel(
  parts: Pick<ServerParts, "ports">,
  by: Principal,
  named: Named,
  key: string,
): Promise<void> {
  if (await mayCancel(parts, by, named)) return;
  const { message, details } = forbidden(by, ["requester"], true);
  throw new ServerError(
    "forbidden",
    `"${key}" cancels the run when you leave. ${message} Leave it out.`,
    details,
  );
}

/** A thread that they see. @throws {ServerError} `thread_not_found` */
export function assertSees(by: Principal, row: Pick<ThreadRow, "thread_id" | "owner">): void {
  if (!sees(by, row)) throw noThread(row.thread_id);
}
