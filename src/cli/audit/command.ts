import type { Command } from "commander";
import { newCommand, newGroup } from "../command.ts";
import type { VerifyOptions } from "./verify.ts";

/** `countersign audit …`: the record of who allowed what. */
export function auditCommand(): Command {
  const audit = newGroup("audit", "check the record, or print it");
  audit.addCommand(
    newCommand("verify", "check that the chain of events holds; exit code 1 when it does not")
      .option("--head <hash>", "a head that was published earlier, which the chain must contain")
      .option("--store <url>", "check this store, file: or postgres:, without a server")
      .action(async (options: VerifyOptions) => (await import("./verify.ts")).verifyAudit(options)),
  );
  audit.addCommand(
    newCommand("export", "print every event, one JSON object a line")
      .option("--thread <id>", "only of this thread")
      .action(async (options: { thread?: string }) => (await import("./export.ts")).exportAudit(options)),
  );
  return audit;
}
