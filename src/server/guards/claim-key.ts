import { setTimeout as sleep } from "node:timers/promises";
import { ask, askOne, type Database, type Work } from "../../ledger/sql/index.ts";
import type { AnswerRow, ServerTables } from "../database/tables.ts";
import { ServerError } from "../problem.ts";

interface Tables extends ServerTables {
  /** The keys whose first answer is being made, and the process that makes it. */
  keeping_keys: { key: string; owner_id: string };
}

/** How often it is looked whether another process has made the answer, in milliseconds. */
const LOOK_MS = 50;

/** After how long it is made here all the same, in milliseconds: longer than any answer is waited for. */
const LONGEST_MS = 15 * 60 * 1_000;

/** A key, and the process that would make its answer. */
export interface Claim {
  key: string;
  owner_id: string;
  /** Answers older than this are not given again. ISO 8601. */
  since: string;
}

/**
 * Gives the first answer to a key, where there is one, waiting for it while another process makes it. `null`: nobody
 * does, and from now on this process is who makes it, until it has kept the answer or let go of the key.
 *
 * @throws {ServerError} `stopping`
 */
export async function claimKey(
  database: Database,
  claim: Claim,
  closing: AbortSignal,
): Promise<AnswerRow | null> {
  const begun = performance.now();
  for (;;) {
    const isLate = performance.now() - begun > LONGEST_MS;
    const { answer, holder, isHeld } = await database.read(() => look(database, claim, isLate));
    if (answer !== undefined) return answer;
    if (!isHeld) {
      const taken = await database.run(() => take(database, claim, holder));
      if (taken !== "held") return taken;
    }
    if (closing.aborted)
      throw new ServerError("stopping", "The server is stopping. Send again when it is back.");
    await sleep(LOOK_MS);
  }
}

interface Found {
  answer?: AnswerRow;
  /** Who has the key, if anybody does. */
  holder?: string;
  /** Whether it is to be waited for. */
  isHeld: boolean;
}

/** The answer to a key, or whether somebody makes it. */
function* look(database: Database, claim: Claim, isLate: boolean): Work<Found> {
  const { key, owner_id } = claim;
  const answer = yield* answerTo(database, claim);
  if (answer !== undefined) return { answer, isHeld: false };
  const build = database.builder<Tables>();
  const held = build.selectFrom("keeping_keys").select("owner_id").where("key", "=", key);
  const holder = (yield* askOne(held.compile()))?.owner_id;
  if (holder === undefined) return { isHeld: false };
  // One that this process could not let go of holds nobody up, and neither does one of a process that is gone.
  if (holder === owner_id || isLate) return { holder, isHeld: false };
  const process = build.selectFrom("server_processes").select("owner_id").where("owner_id", "=", holder);
  return { holder, isHeld: (yield* askOne(process.compile())) !== undefined };
}

/** Takes a key that nobody has, or that one who is gone still has. */
function* take(
  database: Database,
  claim: Claim,
  holder: string | undefined,
): Work<AnswerRow | "held" | null> {
  const { key, owner_id } = claim;
  const build = database.builder<Tables>();
  const insert = build
    .insertInto("keeping_keys")
    .values({ key, owner_id })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("key");
  const update = build
    .updateTable("keeping_keys")
    .set({ owner_id })
    .where("key", "=", key)
    .where("owner_id", "=", holder ?? "")
    .returning("key");
  const taken = (yield* askOne(insert.compile())) ?? (yield* askOne(update.compile()));
  if (taken === undefined) return "held";
  // Only now: the answer may have been kept, and the key let go of, since it was looked for.
  const answer = yield* answerTo(database, claim);
  if (answer === undefined) return null;
  yield* letGo(database, key);
  return answer;
}

function* answerTo(database: Database, { key, since }: Claim): Work<AnswerRow | undefined> {
  const known = database
    .builder<Tables>()
    .selectFrom("server_answers")
    .selectAll()
    .where("key", "=", key)
    .where("created_at", ">=", since);
  return yield* askOne(known.compile());
}

/** Lets go of a key, as part of keeping its answer. */
export function* letGo(database: Database, key: string): Work<void> {
  yield* ask(database.builder<Tables>().deleteFrom("keeping_keys").where("key", "=", key).compile());
}

/** Lets go of a key that has got no answer, so that the request may be tried again. */
export async function releaseKey(database: Database, key: string): Promise<void> {
  await database.run(() => letGo(database, key));
}
