import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { classify } from "./sql-statement.ts";
import { fileOf, locate } from "./workspace.ts";

// SQLite unfolds views, subqueries and common table expressions while it prepares, so a short text can keep it busy for
// hours, and the whole server with it. Only what must stay small is handed to it; the rest counts as a change.
const MOST = { characters: 2000, stars: 8, unfolded: 50_000 };
const MAX_REMEMBERED = 200;

const remembered = new Map<string, boolean>();

/** Whether SQLite says of a statement that it only reads this database. Never creates a file; false when in doubt. */
export function onlyReads(root: string, database: unknown, sql: unknown): boolean {
  if (typeof database !== "string" || typeof sql !== "string" || classify(sql).kind !== "query") return false;
  try {
    const file = fileOf(locate(root, database));
    const stats = statSync(file);
    if (!stats.isFile()) return false;
    const key = JSON.stringify([file, stats.ino, stats.mtimeMs, stats.size, sql]);
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const answer = judge(file, sql);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(key, answer);
    return answer;
  } catch {
    return false;
  }
}

function judge(file: string, sql: string): boolean {
  if (!staysSmall(sql)) return false;
  const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: 100 });
  try {
    return staysSmall(withViews(connection, sql)) && connection.prepare(sql).readonly;
  } finally {
    connection.close();
  }
}

/** The statement and, when it may use one of them, the views and triggers of the database, which unfold likewise. */
function withViews(connection: Database.Database, sql: string): string {
  const rows = connection
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') LIMIT 100")
    .all() as { name: string; sql: string }[];
  const text = sql.toLowerCase();
  // A pragma or an explained change may look at them without their names; a name with quotes may be written otherwise.
  const any = /\b(?:pragma|explain)/u.test(text);
  const used = rows.some(({ name }) => any || !/^\w+$/u.test(name) || text.includes(name.toLowerCase()));
  return used ? [sql, ...rows.map((row) => row.sql)].join("\n") : sql;
}

/**
 * Bounds what a text can unfold to: each SELECT can at worst repeat the one inside it as often as two-character terms
 * fit into its share of the text.
 */
function staysSmall(text: string): boolean {
  if (text.length > MOST.characters || text.split("*").length - 1 > MOST.stars) return false;
  const selects = Math.max(1, text.match(/\bselect\b/giu)?.length ?? 0);
  const terms = Math.max(1, (text.length / selects - "SELECT FROM ()".length) / 2);
  return terms ** selects <= MOST.unfolded;
}
