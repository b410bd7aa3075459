import type { TokenView } from "../../wire.ts";
import { printResult } from "../print.ts";
import { exact } from "../readable.ts";
import { table } from "../table.ts";
import type { StoreOptions } from "./command.ts";

/** `token list`: every token there ever was, and how it stands. */
export async function listTokens(options: StoreOptions): Promise<void> {
  const wire = await import("../../wire.ts");
  const tokens = await wire.listTokens(options.store);
  printResult(options, { tokens }, () => {
    if (tokens.length === 0) return ["There are no tokens: on loopback nobody has to say who they are."];
    const rows = tokens.map((one) => [
      ...[one.token_id, one.roles.join(","), standing(one)],
      exact(one.principal),
    ]);
    // The name comes last: it may be long, and is what may be cut.
    return table(["ID", "ROLES", "STANDS", "NAME"], rows);
  });
}

function standing({ revoked_at, expires_at }: TokenView): string {
  if (revoked_at !== null) return "revoked";
  if (expires_at === null) return "good";
  return `${Date.parse(expires_at) <= Date.now() ? "expired" : "until"} ${expires_at.slice(0, 16)}Z`;
}
