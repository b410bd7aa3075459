import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { withRisk } from "../graph/with-risk.ts";
import { leadingTo } from "./leading-to.ts";
import { argument, signalOf } from "./argument.ts";
import { SAFE_OPEN, inFolderOf, plain } from "./folder.ts";
import { runGroup } from "./process-group.ts";
import { childCommand } from "./sql-child.ts";
import { onlyReads } from "./sql-risk.ts";
import type { RunRequest, SqlAnswer } from "./sql-run.ts";
import { classify } from "./sql-statement.ts";
import { fileOf, locate, quote } from "./workspace.ts";
import type { Place } from "./workspace.ts";

export interface SqlLimits {
  timeoutMs: number;
  maxRows: number;
  maxBytes: number;
}

/**
 * `sql_query`: one statement on an SQLite file of the workspace. `auto` when SQLite says that it only reads, else, also
 * when it cannot be told or the statement is long or deeply nested, `approve`. Statements that reach other files, set pragmas or open transactions are refused.
 */
export function sqlQueryTool(root: string, limits: SqlLimits) {
  return withRisk(
    tool(({ database, sql }, config) => query(root, database, sql, limits, signalOf(config)), {
      name: "sql_query",
      description: "Run one SQL statement on a SQLite database file of the workspace.",
      schema: z.object({
        database: z.string().min(1).describe("The database file, relative to the workspace. It must exist."),
        sql: z.string().min(1).max(50_000).describe("One SQL statement."),
      }),
    }),
    ({ database, sql }: Record<string, unknown>) => (onlyReads(root, database, sql) ? "auto" : "approve"),
    {
      ...leadingTo(root, ["database"]),
      timeoutMs: limits.timeoutMs + 5000,
      describe: (args) => `Runs on ${argument(args, "database")}: ${argument(args, "sql")}`,
    },
  );
}

async function query(
  root: string,
  database: string,
  sql: string,
  limits: SqlLimits,
  signal: AbortSignal | undefined,
): Promise<string> {
  const kind = classify(sql);
  if (kind.kind === "refused") throw new Error(`The statement was not run: ${kind.why}.`);
  const place = locate(root, database);
  const pinned = pin(place);
  try {
    const { maxRows, maxBytes } = limits;
    const request: RunRequest = { file: fileOf(place), sql, maxRows, maxBytes };
    return render(await inChild(request, pinned, limits, signal));
  } finally {
    closeSync(pinned);
  }
}

/** Opens the file itself, links refused, so that the child can tell whether SQLite opened the same one. */
function pin(place: Place): number {
  try {
    return inFolderOf(place, (folder) => {
      const fd = openSync(folder.at(place.name), constants.O_RDONLY | SAFE_OPEN);
      if (fstatSync(fd).isFile()) return fd;
      closeSync(fd);
      throw new Error(`${quote(place.asked)} is not a file.`);
    });
  } catch (error) {
    throw plain(error, place.asked);
  }
}

async function inChild(
  request: RunRequest,
  pinned: number,
  limits: SqlLimits,
  signal: AbortSignal | undefined,
): Promise<SqlAnswer> {
  const { program, args, cwd, env } = childCommand();
  const result = await runGroup(program, args, {
    cwd,
    env,
    timeoutMs: limits.timeoutMs,
    // The limit of the rows counts characters, of which each takes up to three bytes.
    maxBytes: limits.maxBytes * 4 + 65_536,
    signal,
    input: JSON.stringify(request),
    inherit: pinned,
  });
  if (result.ended === "abort") throw new Error("The statement was stopped because the run was cancelled.");
  if (result.ended === "timeout") {
    throw new Error(`The statement did not end within ${limits.timeoutMs / 1000} s and was stopped.`);
  }
  try {
    return JSON.parse(Buffer.from(result.stdout).toString("utf8")) as SqlAnswer;
  } catch (error) {
    const said = Buffer.from(result.stderr).toString("utf8").slice(0, 500);
    throw new Error(`The process that runs statements failed. ${said}`.trim(), { cause: error });
  }
}

function render(answer: SqlAnswer): string {
  switch (answer.kind) {
    case "error":
      throw new Error(`SQLite refused the statement: ${answer.message}.`);
    case "changed":
      return `Done, ${answer.changes} ${answer.changes === 1 ? "row" : "rows"} changed.`;
    case "rows": {
      if (answer.rows.length === 0 && !answer.more) return `No rows. Columns: ${answer.columns.join(", ")}`;
      const lines = answer.rows.map((row) => row.map(cell).join(" | "));
      const note = answer.more ? [`[cut: more than ${answer.rows.length} rows]`] : [];
      return [answer.columns.join(" | "), ...lines, ...note].join("\n");
    }
    default:
      return answer satisfies never;
  }
}

function cell(value: unknown): string {
  if (value === null) return "NULL";
  return (typeof value === "string" ? value : JSON.stringify(value)).replaceAll("\n", "\\n");
}
