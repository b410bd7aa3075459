import { parseDuration } from "../../policy/index.ts";
import type { NewToken } from "../../wire.ts";
import { usageError } from "../cli-error.ts";
import { printResult } from "../print.ts";
import type { StoreOptions } from "./command.ts";

export interface CreateOptions extends StoreOptions {
  name: string;
  role: NewToken["roles"];
  expires?: string;
}

/** `token create`: the one time that the token's text is shown. */
export async function createToken({ name, role, expires, ...options }: CreateOptions): Promise<void> {
  // Read first, so that a mistake makes no store.
  const expires_at = expires === undefined ? null : endOf(expires);
  if (!/^[!-~]{1,200}$/.test(name))
    throw usageError('--name must be 1 to 200 visible characters without spaces, like "ana@example.com".');
  const wire = await import("../../wire.ts");
  const made = await wire.createToken(options.store, { principal: name, roles: role, expires_at });
  printResult(options, made, () => [
    made.token,
    "",
    "This is the only time it is shown. Its holder sets COUNTERSIGN_TOKEN to it.",
    `id       ${made.token_id}`,
    `name     ${made.principal}`,
    `roles    ${made.roles.join(", ")}`,
    `expires  ${made.expires_at ?? "never; revoke it by its id"}`,
  ]);
}

function endOf(expires: string): string {
  try {
    return new Date(Date.now() + parseDuration(expires)).toISOString();
  } catch (error) {
    throw usageError(`--expires: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
