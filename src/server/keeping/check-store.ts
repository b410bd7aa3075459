import type { Verification } from "../../ledger/index.ts";
import { ask, openDatabase, verifyDatabase, type Database } from "../../ledger/sql/index.ts";
import { ledgerMigrations } from "../../ledger/sql/migrations.ts";
import { assistantMigrations } from "../assistants/tables.ts";
import { serverMigrations } from "../database/migrations.ts";
import { itemMigrations } from "../items/migrations.ts";
import { StartError } from "../start-error.ts";
import { noticeMigrations } from "../notices/migrations.ts";
import { webhookMigrations } from "../webhooks/migrations.ts";
import { findDangling } from "./find-dangling.ts";
import { keepingMigrations } from "./migrations.ts";
import { assertThere, filePathOf } from "./store-address.ts";

/** What is wrong with a store: its file, its tables, its record, or what points to something that is not there. */
export interface StoreFinding {
  kind: "file" | "schema" | "record" | "dangling";
  message: string;
}

export interface StoreCheck {
  ok: boolean;
  /** With no password in it. */
  store: string;
  findings: StoreFinding[];
  /** What the record is; `null` when a later version wrote it. */
  record: Verification | null;
}

const KNOWN: Record<string, number> = {
  ledger: ledgerMigrations.length,
  server: serverMigrations.length,
  assistants: assistantMigrations.length,
  items: itemMigrations.length,
  keeping: keepingMigrations.length,
  webhooks: webhookMigrations.length,
  notices: noticeMigrations.length,
};

/**
 * Checks a store, while a server uses it or not, and changes nothing in it: the file, the versions of its tables, the
 * record, and whether anything points to what is not there.
 *
 * @throws {StartError | LedgerError} when there is no store at this address, or it cannot be read.
 */
export async function checkStore(store: string): Promise<StoreCheck> {
  const path = filePathOf(store);
  if (path !== null) assertThere(path);
  const database = await openDatabase(store);
  try {
    const findings: StoreFinding[] = [];
    const note = (kind: StoreFinding["kind"], messages: string[]): void => {
      for (const message of messages) findings.push({ kind, message });
    };
    note("file", await database.integrity());
    const versions = await versionsOf(database);
    note("schema", newerRooms(versions));
    const isReadable = (room: string): boolean => (versions.get(room) ?? Infinity) <= (KNOWN[room] ?? 0);
    const record = isReadable("ledger") ? await verifyDatabase(database) : null;
    note("record", record?.broken.map(({ thread_id, problem }) => placed(thread_id, problem)) ?? []);
    if (isReadable("ledger") && isReadable("server")) note("dangling", await findDangling(database));
    return { ok: findings.length === 0, store: database.url, findings, record };
  } finally {
    await database.close();
  }
}

async function versionsOf(database: Database): Promise<Map<string, number>> {
  const build = database.builder<{ countersign_schema: { room: string; version: number } }>();
  const select = build.selectFrom("countersign_schema").selectAll().compile();
  try {
    const rows = await database.read(() => ask(select));
    return new Map(rows.map(({ room, version }) => [room, version]));
  } catch (cause) {
    throw new StartError("bad_store", `What is at ${database.url} is no store of countersign.`, { cause });
  }
}

function newerRooms(versions: ReadonlyMap<string, number>): string[] {
  return [...versions]
    .filter(([room, version]) => version > (KNOWN[room] ?? Infinity))
    .map(
      ([room, version]) =>
        `the tables of "${room}" have version ${version}, this countersign knows ${KNOWN[room] ?? 0}: update it`,
    );
}

function placed(thread_id: string | null, problem: string): string {
  return thread_id === null ? problem : `thread ${thread_id}: ${problem}`;
}
