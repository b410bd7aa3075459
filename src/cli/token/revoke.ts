import { CliError } from "../cli-error.ts";
import { printResult } from "../print.ts";
import type { StoreOptions } from "./command.ts";

/** `token revoke`: servers on the store refuse it from now on, and end what it has open. */
export async function revokeToken(token_id: string, options: StoreOptions): Promise<void> {
  const wire = await import("../../wire.ts");
  // Somebody may have only the token itself at hand: its id is the part in the middle.
  const id = /^cs_([0-9a-f]{16})_/.exec(token_id)?.[1] ?? token_id;
  const revoked = await wire.revokeToken(options.store, id);
  if (revoked === null) {
    const detail = `This store has no token "${id.slice(0, 80)}". "countersign token list" shows them.`;
    throw new CliError({ title: "Unknown token", code: "unknown_token", detail });
  }
  printResult(options, revoked, () => [`Revoked: ${revoked.token_id}, of ${revoked.principal}.`]);
}
