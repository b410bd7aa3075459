import { checkStore, type StoreCheck } from "../../wire.ts";
import { EXIT } from "../cli-error.ts";
import { printResult } from "../print.ts";
import { exact } from "../readable.ts";
import type { StoreOptions } from "./command.ts";

/** `store check`: one line for each thing that is wrong. The exit code is 1 when there is any. */
export async function check(options: StoreOptions): Promise<void> {
  const found = await checkStore(options.store);
  printResult(options, found, () => [
    found.ok ? "The store is sound." : "The store is not sound.",
    ...figures(found),
    ...findings(found),
  ]);
  if (!found.ok) process.exitCode = EXIT.failed;
}

/** What was found, one line each. */
export function findings(found: StoreCheck): string[] {
  return found.findings.map(({ kind, message }) => `${kind.padEnd(10)} ${exact(message)}`);
}

/** How much the record of a store holds. */
export function figures({ record }: StoreCheck): string[] {
  if (record === null) return [];
  const { events, erased, threads, head } = record;
  return [
    `events     ${events}${erased > 0 ? `, ${erased} of them erased` : ""}`,
    `threads    ${threads}`,
    `head       ${head}`,
  ];
}
