/** What the first words of an SQL statement say, before SQLite is asked. */
export type StatementKind =
  /** May only read, if SQLite agrees. */
  | { kind: "query" }
  /** Changes the database, or may. */
  | { kind: "change" }
  /** Never run, whoever approves it; `why` is a sentence. */
  | { kind: "refused"; why: string };

// Pragmas that only report. SQLite runs some others while it merely prepares them, even behind EXPLAIN, so a pragma
// that is not listed is never handed to it.
const READING_PRAGMAS = new Set([
  "application_id",
  "collation_list",
  "compile_options",
  "database_list",
  "encoding",
  "foreign_key_check",
  "foreign_key_list",
  "freelist_count",
  "function_list",
  "index_info",
  "index_list",
  "index_xinfo",
  "integrity_check",
  "page_count",
  "page_size",
  "quick_check",
  "schema_version",
  "table_info",
  "table_list",
  "table_xinfo",
  "user_version",
]);

const OTHER_FILES = "it reaches other files than the named database";
const TRANSACTIONS = "each call is a transaction of its own";

/** Sorts a statement by its first words. Total: text that is no SQL is a change, which SQLite then refuses. */
export function classify(sql: string): StatementKind {
  const words = skipSpace(sql);
  const first = firstWord(words);
  if (/\bload_extension\s*\(/iu.test(sql)) return { kind: "refused", why: "it loads native code" };
  switch (first) {
    case "SELECT":
    case "VALUES":
    case "WITH":
      return { kind: "query" };
    case "EXPLAIN":
      return classifyExplained(words);
    case "PRAGMA":
      return classifyPragma(words);
    case "ATTACH":
    case "DETACH":
      return { kind: "refused", why: OTHER_FILES };
    case "VACUUM":
      return /\binto\b/iu.test(sql) ? { kind: "refused", why: OTHER_FILES } : { kind: "change" };
    case "BEGIN":
    case "COMMIT":
    case "END":
    case "ROLLBACK":
    case "SAVEPOINT":
    case "RELEASE":
      return { kind: "refused", why: TRANSACTIONS };
    default:
      return { kind: "change" };
  }
}

// An explained statement does not run, but a pragma behind EXPLAIN may.
function classifyExplained(words: string): StatementKind {
  let rest = skipSpace(words.slice("EXPLAIN".length));
  if (firstWord(rest) === "QUERY") {
    rest = skipSpace(rest.slice("QUERY".length));
    if (firstWord(rest) === "PLAN") rest = skipSpace(rest.slice("PLAN".length));
  }
  return ["SELECT", "VALUES", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE"].includes(firstWord(rest))
    ? { kind: "query" }
    : { kind: "refused", why: "only SELECT, INSERT, UPDATE and DELETE can be explained" };
}

function classifyPragma(words: string): StatementKind {
  const match = /^\s*(?:(?:main|temp)\s*\.\s*)?(\w+)\s*(\([^()]*\))?\s*;?\s*$/iu.exec(
    words.slice("PRAGMA".length),
  );
  const name = match?.[1]?.toLowerCase();
  if (name === undefined || !READING_PRAGMAS.has(name)) {
    return { kind: "refused", why: "it is a PRAGMA that is not known to only read" };
  }
  // `PRAGMA user_version(3)` is another way to write `PRAGMA user_version = 3`.
  const takesName = /_(?:info|xinfo|list|check)$/u.test(name);
  return match?.[2] === undefined || takesName
    ? { kind: "query" }
    : { kind: "refused", why: "it is a PRAGMA that sets something" };
}

function firstWord(text: string): string {
  return (/^[a-z]+/iu.exec(text)?.[0] ?? "").toUpperCase();
}

function skipSpace(text: string): string {
  let at = 0;
  for (;;) {
    while (at < text.length && /[\s;]/u.test(text.charAt(at))) at += 1;
    if (text.startsWith("--", at)) {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end + 1;
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2);
      at = end === -1 ? text.length : end + 2;
    } else {
      return text.slice(at);
    }
  }
}
