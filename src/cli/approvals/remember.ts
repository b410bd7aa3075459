import type { Remember } from "../../ledger/index.ts";
import { usageError } from "../cli-error.ts";
import { readCount, readJsonObject } from "../json-argument.ts";

/** What of a decision is to be remembered, as the command line says it. */
export interface RememberOptions {
  remember?: Remember["scope"];
  match?: string;
  for?: string;
  uses?: string;
}

/** Nothing without `--remember`. @throws {CliError} `usage` */
export function rememberOf(options: RememberOptions): { remember?: Remember } {
  const { remember: scope, match = "exact", for: ttl, uses } = options;
  if (scope === undefined) {
    const stray = (["match", "for", "uses"] as const).find((name) => options[name] !== undefined);
    if (stray !== undefined) throw usageError(`--${stray} says how to remember: give --remember as well.`);
    return {};
  }
  return {
    remember: {
      scope: scope,
      match: match === "exact" || match === "tool" ? match : readJsonObject(match, "--match"),
      ...(ttl !== undefined && { ttl }),
      ...(uses !== undefined && { uses: readCount(uses, "--uses", 10_000) }),
    },
  };
}
