import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL that answered when the run began, or why there is none. */
    postgres: { url: string } | { missing: string };
  }
}

/** Where tests look for PostgreSQL: COUNTERSIGN_TEST_POSTGRES, or the usual local one. */
export function postgresAddress(): string {
  return process.env["COUNTERSIGN_TEST_POSTGRES"] ?? "postgres://postgres@127.0.0.1:5432/test";
}

/** Runs statements on the database at `url`, one after the other, on a connection of their own. */
export async function onPostgres(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  // Dropping a database ends the connections to it, which arrives here as an event.
  client.on("error", () => undefined);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * The URL of a new, empty database for the calling file or `describe` block, made before its first test and dropped
 * after its last; undefined where no PostgreSQL answers, so that the block can say `describe.skipIf(!url)`.
 *
 * Call it while tests are collected, at the top of a file or of a `describe`, not inside a test or a hook.
 */
export function postgresUrl(): string | undefined {
  const postgres = inject("postgres");
  if ("missing" in postgres) return undefined;
  const name = `countersign_test_${randomBytes(6).toString("hex")}`;
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  beforeAll(() => onPostgres(postgres.url, `create database ${name}`));
  afterAll(() => drop(postgres.url, name));
  return url.href;
}

/**
 * Drops a database once its connections have gone: a pool of somebody else's that is cut off in the middle of its own
 * closing reports that as an error of nobody's.
 */
async function drop(url: string, name: string): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    try {
      await onPostgres(url, `drop database if exists ${name}`);
      return;
    } catch (error) {
      // Somebody is still connected.
      if ((error as { code?: string }).code !== "55006") throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  await onPostgres(url, `drop database if exists ${name} with (force)`);
}
