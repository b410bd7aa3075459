import { z } from "zod";
import { isoTime } from "../../desk/index.ts";
import { ask, Operation, type Database } from "../../ledger/sql/index.ts";
import type { ServerTables, TokenRow } from "../database/tables.ts";
import { ServerError } from "../problem.ts";
import { Role, type Principal } from "./principal.ts";
import { isSecretOf, newTokenText, readTokenText } from "./token-text.ts";

/** What a token is made with. */
export const NewToken = z.object({
  /** Who its holder is. Several tokens may be of one. */
  principal: z.string().regex(/^[!-~]{1,200}$/, "1 to 200 visible characters without spaces"),
  roles: z.array(Role).min(1),
  /** ISO 8601; `null`: it holds until it is revoked. */
  expires_at: z.iso.datetime().nullable(),
});
export type NewToken = z.infer<typeof NewToken>;

/** All that can be told of a token later on: its secret is not kept. */
export interface TokenView extends NewToken {
  token_id: string;
  created_at: string;
  revoked_at: string | null;
}

const byId = new Operation<{ token_id: string }, TokenRow, ServerTables>((build, { token_id }) =>
  build.selectFrom("server_tokens").selectAll().where("token_id", "=", token_id),
);
const anyOne = new Operation<object, Pick<TokenRow, "token_id">, ServerTables>((build) =>
  build.selectFrom("server_tokens").select("token_id").limit(1),
);

/** The tokens of a store. Rows are never deleted: where there was a token once, everybody says who they are. */
export class Tokens {
  readonly #database: Database;
  readonly #clock: () => number;

  constructor(database: Database, clock: () => number = Date.now) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Makes a token. This is the only time that its text is there to be seen. @throws {ServerError} `invalid_request` */
  async create(given: NewToken): Promise<TokenView & { token: string }> {
    const read = NewToken.safeParse(given);
    if (!read.success) {
      const [issue] = read.error.issues;
      const message = `The token cannot be made. "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "invalid"}.`;
      throw new ServerError("invalid_request", message);
    }
    const { principal, expires_at } = read.data;
    const roles = [...new Set(read.data.roles)];
    const { token, token_id, secret_digest } = newTokenText();
    const row: TokenRow = {
      ...{ token_id, principal, roles_json: JSON.stringify(roles), secret_digest },
      ...{ created_at: isoTime(this.#clock), expires_at, revoked_at: null },
    };
    const insert = this.#build().insertInto("server_tokens").values(row).compile();
    await this.#database.run(() => ask(insert), { force: true });
    return { token, ...viewOf(row) };
  }

  /** All tokens that there ever were, the oldest first. */
  async list(): Promise<TokenView[]> {
    const select = this.#build()
      .selectFrom("server_tokens")
      .selectAll()
      .orderBy("created_at")
      .orderBy("token_id")
      .compile();
    return (await this.#database.read(() => ask(select))).map(viewOf);
  }

  /** Revokes a token for good; once more changes nothing. `null`: there is none of this id. */
  async revoke(token_id: string): Promise<TokenView | null> {
    const { dialect } = this.#database;
    const revoked_at = isoTime(this.#clock);
    const update = this.#build()
      .updateTable("server_tokens")
      .set({ revoked_at })
      .where("token_id", "=", token_id)
      .where("revoked_at", "is", null)
      .compile();
    const work = function* () {
      yield* ask(update);
      return yield* byId.row(dialect, { token_id });
    };
    const row = await this.#database.run(work, { force: true });
    return row === undefined ? null : viewOf(row);
  }

  /** Whether there ever was a token. */
  async hasAny(): Promise<boolean> {
    return (await this.#database.read(() => anyOne.row(this.#database.dialect, {}))) !== undefined;
  }

  /** Who shows a token; `null` for one that is unknown, wrong, expired or revoked. */
  async holderOf(text: string): Promise<{ principal: Principal; token_id: string } | null> {
    const given = readTokenText(text);
    if (given === null) return null;
    const { token_id, secret } = given;
    const row = await this.#row(token_id);
    if (!isSecretOf(row?.secret_digest, secret) || row === undefined || !this.#isValid(row)) return null;
    return { principal: { id: row.principal, roles: new Set(rolesOf(row)), via: "token" }, token_id };
  }

  /** Whether a token that was shown before is valid still. */
  async isValid(token_id: string): Promise<boolean> {
    const row = await this.#row(token_id);
    return row !== undefined && this.#isValid(row);
  }

  #isValid({ expires_at, revoked_at }: TokenRow): boolean {
    return revoked_at === null && (expires_at === null || this.#clock() < Date.parse(expires_at));
  }

  #row(token_id: string): Promise<TokenRow | undefined> {
    return this.#database.read(() => byId.row(this.#database.dialect, { token_id }));
  }

  #build() {
    return this.#database.builder<ServerTables>();
  }
}

function viewOf(row: TokenRow): TokenView {
  const { token_id, principal, created_at, expires_at, revoked_at } = row;
  return { token_id, principal, roles: rolesOf(row), created_at, expires_at, revoked_at };
}

/** A role that this version does not know gives nothing. */
function rolesOf({ roles_json }: TokenRow): Role[] {
  return rolesIn(JSON.parse(roles_json));
}

/** The roles in a list, those that there are. */
export function rolesIn(list: unknown): Role[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one) => Role.safeParse(one).data ?? []);
}
