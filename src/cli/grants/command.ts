import type { Command } from "commander";
import { newCommand, newGroup } from "../command.ts";
import type { OutputOptions } from "../print.ts";
import type { ListGrantsOptions } from "./list.ts";

/** `countersign grants …`: what is remembered, and to forget it. */
export function grantsCommand(): Command {
  const grants = newGroup("grants", "list the decisions that are remembered, and revoke them");
  grants.addCommand(
    newCommand("list", "list what is remembered, oldest first")
      .option("--all", "those too that have ended or were revoked")
      .option("--limit <n>", "at most so many, 1 to 1000", "100")
      .action(async (options: ListGrantsOptions) => (await import("./list.ts")).listGrants(options)),
  );
  grants.addCommand(
    newCommand("revoke", "forget a decision: it decides nothing from now on")
      .argument("<id>", "id of the grant, gra_…")
      .action(async (id: string, options: OutputOptions) =>
        (await import("./revoke.ts")).revokeGrant(id, options),
      ),
  );
  return grants;
}
