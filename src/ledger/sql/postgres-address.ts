import { LedgerError } from "../ledger.ts";

export interface PostgresAddress {
  /** What the driver gets. */
  connectionString: string;
  /** What people get to see: no password. */
  shown: string;
  schema: string | undefined;
}

/**
 * Reads a `postgres://` address. `?schema=name` is ours: the schema that holds the tables. The rest is the driver's.
 *
 * @throws {LedgerError} `bad_url`
 */
export function postgresAddress(text: string): PostgresAddress {
  if (!URL.canParse(text)) {
    throw new LedgerError(
      "bad_url",
      'The address of the store is no URL. Give "postgres://user@host:5432/database".',
    );
  }
  const url = new URL(text);
  const schema = url.searchParams.get("schema") ?? undefined;
  if (schema !== undefined && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new LedgerError(
      "bad_url",
      `"schema" in the address of the store is ${JSON.stringify(schema)}. Use lower-case letters, digits and "_".`,
    );
  }
  const shown = new URL(url);
  shown.password = "";
  shown.search = schema === undefined ? "" : `?schema=${schema}`;
  url.searchParams.delete("schema");
  if (schema !== undefined) {
    const options = url.searchParams.get("options") ?? "";
    url.searchParams.set("options", `${options} -c search_path=${schema}`.trim());
  }
  return { connectionString: url.href, shown: shown.href, schema };
}
