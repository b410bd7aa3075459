import type { Reading } from "./plan.ts";
import { QUOTE, restore } from "./quotes.ts";
import type { Quote } from "./quotes.ts";
import { DATABASE, SQL, URL_WORD } from "./words.ts";
import type { Action } from "./words.ts";

type OutsideAction = Extract<Action, "run" | "sql" | "http">;

/** Reads a clause about commands, statements or requests. */
export function readOutside(action: OutsideAction, text: string, quotes: readonly Quote[]): Reading {
  switch (action) {
    case "run":
      return readRun(text, quotes);
    case "sql":
      return readSql(text, quotes);
    case "http":
      return readHttp(text, quotes);
    default:
      return action satisfies never;
  }
}

function readRun(text: string, quotes: readonly Quote[]): Reading {
  const asSql = readSql(text, quotes);
  if (asSql.kind === "call" && ON_DATABASE.test(text)) return asSql;
  const rest = text
    .replace(/^(?:\$|run|execute|exec|shell|运行|执行|跑一下|跑)\s*/iu, "")
    .replace(/^(?:the\s+|a\s+|this\s+)?(?:shell\s+)?(?:command|script|命令|脚本)\s*/iu, "")
    .replace(/^[:：]\s*/u, "");
  const command = restore(rest, quotes);
  if (command === "") return { kind: "missing", what: "command" };
  return { kind: "call", call: { tool: "run_shell", args: { command } } };
}

const QUOTED = new RegExp(QUOTE, "gu");
const ON_DATABASE = new RegExp(
  `${QUOTE}\\s+(?:on|in|against)\\s+(?:the\\s+)?(?:database\\s+)?${DATABASE}`,
  "iu",
);
const DATABASE_WORD = /^[^\s]+\.(?:db|sqlite3?)$/iu;

function readSql(text: string, quotes: readonly Quote[]): Reading {
  const inQuotes = (text.match(QUOTED) ?? []).map((mark) => restore(mark, quotes));
  const database =
    inQuotes.find((quote) => DATABASE_WORD.test(quote)) ??
    new RegExp(DATABASE.replace(`${QUOTE}|`, ""), "iu").exec(text)?.[0];
  const start = new RegExp(`^\\s*${SQL}`, "iu");
  const quoted = inQuotes.find((quote) => start.test(quote));
  const plain = new RegExp(`(?<![\\w.])${SQL}[\\s\\S]*$`, "iu").exec(text)?.[0];
  const sql = quoted ?? (plain === undefined ? undefined : restore(withoutDatabase(plain), quotes));
  if (sql === undefined || sql === "") return { kind: "missing", what: "statement" };
  if (database === undefined) return { kind: "missing", what: "database" };
  return { kind: "call", call: { tool: "sql_query", args: { database, sql } } };
}

function withoutDatabase(sql: string): string {
  return sql.replace(
    new RegExp(`\\s+(?:on|in|against|using|at)\\s+(?:the\\s+)?(?:database\\s+)?${DATABASE}\\s*$`, "iu"),
    "",
  );
}

const METHOD = "get|head|post|put|patch|delete|options";

function readHttp(text: string, quotes: readonly Quote[]): Reading {
  const url = URL_WORD.exec(text)?.[0] ?? quotes.find((quote) => /^https?:\/\//iu.test(quote.inner))?.inner;
  if (url === undefined) return { kind: "unclear" };
  const said =
    new RegExp(`^(${METHOD})\\b`, "iu").exec(text)?.[1] ??
    new RegExp(`\\b(${METHOD})\\s+(?:request|请求|to\\b)`, "iu").exec(text)?.[1] ??
    new RegExp(`\\b(${METHOD.toUpperCase()})\\b`, "u").exec(text)?.[1];
  const method = (said ?? "get").toUpperCase();
  const args: Record<string, string | Record<string, string>> = {
    method,
    url: url.replace(/[.,;:!?]+$/u, ""),
  };
  const body = method === "GET" || method === "HEAD" ? "" : bodyOf(text, quotes);
  if (body !== "") {
    args["body"] = body;
    if (isJson(body)) args["headers"] = { "content-type": "application/json" };
  }
  return { kind: "call", call: { tool: "http_request", args } };
}

function bodyOf(text: string, quotes: readonly Quote[]): string {
  const after =
    /https?:\/\/\S+\s+(?:with\s+)?(?:the\s+)?(?:body|data|json|正文|内容)?\s*[:：]?\s*(.+)$/isu.exec(
      text,
    )?.[1];
  const before = new RegExp(`^(?:send\\s+)?(?:a\\s+)?(?:${METHOD})\\s+(.+?)\\s+to\\s+https?:`, "isu").exec(
    text,
  )?.[1];
  const body = after ?? before ?? "";
  return /^(?:an?\s+)?request$/iu.test(body.trim()) ? "" : restore(body, quotes);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
