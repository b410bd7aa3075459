import { backupStore } from "../../wire.ts";
import { EXIT } from "../cli-error.ts";
import { printResult } from "../print.ts";
import { figures, findings } from "./check.ts";
import type { StoreOptions } from "./command.ts";

/** `store backup`: copies the store and checks the copy. The exit code is 1 when that is not sound. */
export async function backup(file: string, options: StoreOptions & { force?: boolean }): Promise<void> {
  const made = await backupStore(options.store, file, { force: options.force === true });
  const { check } = made;
  printResult(options, made, () => [
    check.ok ? `Backed up to ${made.file}` : `Backed up to ${made.file}, which is not sound.`,
    `bytes      ${made.bytes}`,
    ...figures(check),
    ...findings(check),
  ]);
  if (!check.ok) process.exitCode = EXIT.failed;
}
