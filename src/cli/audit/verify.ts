import type { Verification } from "../../ledger/index.ts";
import { EXIT } from "../cli-error.ts";
import { Client } from "../client.ts";
import { printResult, type OutputOptions } from "../print.ts";
import { exact } from "../readable.ts";
import { COLUMNS, wrap } from "../wrap.ts";

export interface VerifyOptions extends OutputOptions {
  head?: string;
  /** The store itself, for when no server runs on it. */
  store?: string;
}

/** `audit verify`: whether the chain holds. The exit code is 1 when it does not. */
export async function verifyAudit(options: VerifyOptions): Promise<void> {
  const found = await verification(options);
  printResult(options, found, () => [
    found.ok ? "The chain holds." : "The chain does not hold: the record was changed.",
    `events     ${found.events}${found.erased > 0 ? `, ${found.erased} of them erased` : ""}`,
    `threads    ${found.threads}`,
    `head       ${found.head}`,
    ...found.broken.flatMap(({ thread_id, seq, problem }) => {
      const where = [thread_id === null ? "" : `thread ${thread_id}`, seq === null ? "" : `event ${seq}`];
      const place = where.filter((part) => part !== "").join(", ");
      return wrap(exact(`broken     ${place === "" ? "" : `${place}: `}${problem}`), COLUMNS);
    }),
  ]);
  if (!found.ok) process.exitCode = EXIT.failed;
}

async function verification({ head, store }: VerifyOptions): Promise<Verification> {
  if (store === undefined) return new Client().send<Verification>("/audit/verify", { query: { head } });
  // Loaded only now, so that asking a server starts at once.
  const { verifyStore } = await import("../../wire.ts");
  return verifyStore(store, head === undefined ? {} : { head });
}
