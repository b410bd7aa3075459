import type { Kysely } from "kysely";
import type { Pool, PoolClient } from "pg";
import { LedgerError } from "../ledger.ts";
import { createBuilder } from "./builder.ts";
import { codeOf, type Database, type Migration, type Read, type Work } from "./database.ts";
import { migrateWork } from "./migrate.ts";
import { postgresAddress, type PostgresAddress } from "./postgres-address.ts";

/** PostgreSQL's number for the type bigint, which the driver gives as text unless told otherwise. */
const BIGINT = 20;

/** Taken while tables are made, so that two programs that start together do not both make them. */
const MIGRATION_LOCK = 4_100_410_041;

const SNAPSHOT = "begin isolation level repeatable read read only";

/**
 * Opens a PostgreSQL database, with a pool of at most ten connections.
 *
 * @throws {LedgerError} `bad_url`, `unwritable`
 */
export async function openPostgres(url: string): Promise<Database> {
  const address = postgresAddress(url);
  const { default: pg } = await import("pg");
  const types = {
    getTypeParser: (oid: number, format?: "text" | "binary") =>
      oid === BIGINT ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
  };
  const pool = new pg.Pool({
    connectionString: address.connectionString,
    connectionTimeoutMillis: 10_000,
    types: types,
  });
  // A connection that dies while idle is replaced at the next query; unheard, its error would end the process.
  pool.on("error", () => undefined);
  const database = new PostgresDatabase(pool, address);
  try {
    await database.prepare();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

class PostgresDatabase implements Database {
  readonly dialect = "postgres";
  readonly url: string;
  readonly connection = null;
  readonly #pool: Pool;
  readonly #address: PostgresAddress;
  readonly #builder = createBuilder<unknown>("postgres");
  #isClosed = false;

  constructor(pool: Pool, address: PostgresAddress) {
    this.url = address.shown;
    this.#pool = pool;
    this.#address = address;
  }

  builder<Tables>(): Kysely<Tables> {
    return this.#builder as Kysely<Tables>;
  }

  /** Connects, and makes the schema if the address names one. */
  async prepare(): Promise<void> {
    const { schema } = this.#address;
    await this.#transaction("begin", async (client) => {
      await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      if (schema === undefined) return;
      const found = await client.query("select 1 from pg_namespace where nspname = $1", [schema]);
      // Asked first, since making a schema takes a right that a mere user of it need not have.
      if (found.rowCount === 0) await client.query(`create schema "${schema}"`);
    });
  }

  async migrate(room: string, migrations: Migration[]): Promise<void> {
    await this.#transaction("begin", async (client) => {
      await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      await play(client, migrateWork(this.#builder, this.dialect, room, migrations));
    });
  }

  run<Result>(work: () => Work<Result>, { force = false } = {}): Promise<Result> {
    const begin = force ? "begin" : "begin; set local synchronous_commit to off";
    return this.#transaction(begin, (client) => play(client, work()));
  }

  read<Result>(work: () => Work<Result>): Promise<Result> {
    return this.#transaction(SNAPSHOT, (client) => play(client, work(), findable));
  }

  snapshot<Result>(use: (read: Read) => Promise<Result>): Promise<Result> {
    return this.#transaction(SNAPSHOT, (client) => use((work) => play(client, work(), findable)));
  }

  async #transaction<Result>(begin: string, use: (client: PoolClient) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new LedgerError("closed", `The store ${this.url} is closed. Open it again.`);
    const client = await this.#connect();
    let fault: unknown;
    try {
      await client.query(begin);
      const result = await use(client);
      await client.query("commit");
      return result;
    } catch (error) {
      fault = error;
      throw this.#explain(error);
    } finally {
      await leave(client, fault);
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw unwritable(this.url, error);
    }
  }

  #explain(error: unknown): unknown {
    // Class 08: connection; 25: read-only; 28, 42501: rights; 53: no room; 57: going down; 58: system; XX: corrupt.
    const isStore = /^(08|25|28|53|57|58|XX)|^42501$|^E[A-Z]{4,}$/.test(codeOf(error)) || isBrokenOff(error);
    return isStore ? unwritable(this.url, error) : error;
  }

  // What becomes of deleted rows is PostgreSQL's own matter, and so is whether its files are sound.
  async scrub(): Promise<boolean> {
    return true;
  }

  async integrity(): Promise<string[]> {
    return [];
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }
}

/** Gives a connection back; one whose transaction cannot be taken back is thrown away. */
async function leave(client: PoolClient, fault: unknown): Promise<void> {
  if (fault === undefined) return client.release();
  try {
    await client.query("rollback");
    client.release();
  } catch {
    client.release(true);
  }
}

async function play<Result>(
  client: PoolClient,
  work: Work<Result>,
  prepare: (parameter: unknown) => unknown = (parameter) => parameter,
): Promise<Result> {
  let step = work.next();
  while (!step.done) {
    const { sql, parameters } = step.value;
    const { rows } = await client.query<Record<string, unknown>>(sql, parameters.map(prepare));
    step = work.next(rows);
  }
  return step.value;
}

/** PostgreSQL refuses NUL in a text. A search for one finds nothing, as elsewhere, and is no error. */
function findable(parameter: unknown): unknown {
  return typeof parameter === "string" ? parameter.replaceAll("\0", "\ufffd") : parameter;
}

function isBrokenOff(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect/.test(error.message)
  );
}

function unwritable(url: string, cause: unknown): LedgerError {
  const why = cause instanceof Error && cause.message !== "" ? cause.message : codeOf(cause);
  const message = `The store ${url} cannot be written: ${why}. Check that the server runs and that this user may write there.`;
  return new LedgerError("unwritable", message, { cause });
}
