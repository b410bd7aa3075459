import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { childCommand } from "./sql-child.ts";
import type { SqlAnswer, SqlRequest } from "./sql-run.ts";
import { classify } from "./sql-statement.ts";
import { fileOf, locate } from "./workspace.ts";

// SQLite unfolds views and common table expressions while it prepares, so a short text can keep it busy for hours.
// What is small goes to SQLite in this process; the rest in a child process that is stopped after this time.
const SMALL = { characters: 4000, selects: 3 };
const JUDGE_TIMEOUT_MS = 4000;
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
  const selects = sql.match(/\bselect\b/giu)?.length ?? 0;
  if (sql.length > SMALL.characters || selects > SMALL.selects) return judgeInChild(file, sql);
  const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: 100 });
  try {
    const views = connection
      .prepare("SELECT 1 FROM sqlite_schema WHERE type IN ('view', 'trigger') LIMIT 1")
      .get();
    return views === undefined ? connection.prepare(sql).readonly : judgeInChild(file, sql);
  } finally {
    connection.close();
  }
}

function judgeInChild(file: string, sql: string): boolean {
  const { program, args, cwd, env } = childCommand();
  const request: SqlRequest = { task: "judge", file, sql };
  const child = spawnSync(program, args, {
    cwd,
    env,
    input: JSON.stringify(request),
    timeout: JUDGE_TIMEOUT_MS,
    killSignal: "SIGKILL",
    encoding: "utf8",
  });
  if (child.status !== 0) return false;
  const answer = JSON.parse(child.stdout) as SqlAnswer;
  return answer.kind === "judged" && answer.readonly;
}
