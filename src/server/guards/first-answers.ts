import type { MiddlewareHandler } from "hono";
import { isoTime } from "../../desk/index.ts";
import { sha256 } from "../../ledger/index.ts";
import { ask, type Database } from "../../ledger/sql/index.ts";
import { noteThreads } from "../keeping/answers-of.ts";
import { OneAtATime } from "../runs/one-at-a-time.ts";
import { principalOf, type Principal } from "../identity/principal.ts";
import { ServerError } from "../problem.ts";
import { claimKey, letGo, releaseKey } from "./claim-key.ts";
import type { AnswerRow, ServerTables } from "../database/tables.ts";

/** How long a first answer is given again, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** What {@link giveFirstAnswer} works with. */
export interface FirstAnswers {
  database: Database;
  clock: () => number;
  /** This process, as the others on the store know it. */
  owner_id: string;
  /** Aborts when the server stops. */
  closing: AbortSignal;
}

/**
 * With `Idempotency-Key`, a repeated request gets the first answer, and nothing is done twice, by whichever server on the
 * store it is asked for. The key is bound to the route and the body: with others it is refused. The keys of others are
 * other keys.
 */
export function giveFirstAnswer({ database, clock, owner_id, closing }: FirstAnswers): MiddlewareHandler {
  const atOnce = new OneAtATime();
  return async (c, next) => {
    const given = c.req.header("idempotency-key");
    if (given === undefined || c.req.method === "GET") return next();
    if (given === "" || given.length > 200)
      throw new ServerError("invalid_request", '"Idempotency-Key" has between 1 and 200 characters.');
    const key = ownKey(given, principalOf(c));
    const request_digest = sha256(`${c.req.method} ${c.req.path}\n${await c.req.text()}`);
    return atOnce.run(key, async () => {
      const since = isoTime(() => clock() - KEPT_MS);
      const known = await claimKey(database, { key, owner_id, since }, closing);
      if (known !== null) {
        c.res = repeat(known, request_digest);
        return;
      }
      let isKept = false;
      try {
        await next();
        // A failure of the server is no answer: the request may be tried again.
        if (c.res.status >= 500) return;
        await keep(database, await rowOf(c.res, key, request_digest, isoTime(clock)));
        isKept = true;
      } finally {
        if (!isKept) await releaseKey(database, key);
      }
    });
  };
}

function ownKey(key: string, { id }: Principal): string {
  return id === null ? key : `${sha256(id)} ${key}`;
}

function repeat(known: AnswerRow, request_digest: string): Response {
  if (known.request_digest !== request_digest) {
    const message = '"Idempotency-Key" was used before, for another request. Use a new one for each request.';
    throw new ServerError("idempotency_mismatch", message);
  }
  const headers = { "content-type": known.content_type, "idempotent-replayed": "true" };
  return new Response(known.body, { status: known.status, headers });
}

async function rowOf(answer: Response, key: string, request_digest: string, at: string): Promise<AnswerRow> {
  const { status, headers } = answer;
  const content_type = headers.get("content-type") ?? "application/json";
  return { key, request_digest, status, content_type, body: await answer.clone().text(), created_at: at };
}

/** Keeps an answer, and drops those that are too old to be given again. */
async function keep(database: Database, row: AnswerRow): Promise<void> {
  const build = database.builder<ServerTables>();
  const oldest = isoTime(() => Date.parse(row.created_at) - KEPT_MS);
  const drop = build.deleteFrom("server_answers").where("created_at", "<", oldest).compile();
  const insert = build
    .insertInto("server_answers")
    .values(row)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .compile();
  await database.run(function* () {
    yield* noteThreads(database, row, oldest);
    yield* ask(drop);
    yield* ask(insert);
    yield* letGo(database, row.key);
  });
}
