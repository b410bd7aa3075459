import { openDatabase } from "../../ledger/sql/index.ts";
import { serverMigrations } from "../database/migrations.ts";
import { Tokens, type NewToken, type TokenView } from "./tokens.ts";

/**
 * Makes a token in a store, `file:` or `postgres://`. Servers that use the store take it at once; where it is the first
 * one, everybody says who they are from then on.
 *
 * @returns the token with its text, which is not kept.
 * @throws {ServerError | LedgerError} `invalid_request`; `bad_url`, `unwritable`, `newer_schema`
 */
export function createToken(store: string, given: NewToken): Promise<TokenView & { token: string }> {
  return withTokens(store, (tokens) => tokens.create(given));
}

/** All tokens of a store, the oldest first, those too that hold no more. @throws {LedgerError} */
export function listTokens(store: string): Promise<TokenView[]> {
  return withTokens(store, (tokens) => tokens.list());
}

/** Revokes a token; `null`: the store has none of this id. @throws {LedgerError} */
export function revokeToken(store: string, token_id: string): Promise<TokenView | null> {
  return withTokens(store, (tokens) => tokens.revoke(token_id));
}

async function withTokens<Result>(store: string, work: (tokens: Tokens) => Promise<Result>): Promise<Result> {
  const database = await openDatabase(store);
  try {
    await database.migrate("server", serverMigrations);
    return await work(new Tokens(database));
  } finally {
    await database.close();
  }
}
