import type { Database } from "../../ledger/sql/index.ts";
import { StartError } from "../start-error.ts";
import { Identity } from "./identity.ts";
import { JwtReader } from "./jwt.ts";
import { readJwtSettings, type JwtOptions } from "./jwt-settings.ts";
import { isLoopback } from "./loopback.ts";
import { Tokens } from "./tokens.ts";

/**
 * What finds out who sends a request to a server at `host`.
 *
 * @throws {StartError} `bad_identity`; `identity_required` where others can reach the server and nobody could say who
 *   they are.
 */
export async function openIdentity(given: {
  database: Database;
  host: string;
  jwt: JwtOptions | undefined;
  clock: () => number;
  onError: (error: unknown) => void;
}): Promise<Identity> {
  const { database, host, clock, onError } = given;
  const jwt = given.jwt === undefined ? null : new JwtReader(readJwtSettings(given.jwt), clock);
  const tokens = new Tokens(database, clock);
  if (jwt === null && !isLoopback(host) && !(await tokens.hasAny())) throw required(host, database.url);
  return new Identity({ tokens, jwt, host, clock, onError });
}

function required(host: string, store: string): StartError {
  const message =
    `Others can reach the host "${host}", and nobody could say who they are. Make a token first: ` +
    `"countersign token create --name you --role admin --store ${store}". Or name an issuer of JWTs.`;
  return new StartError("identity_required", message);
}
