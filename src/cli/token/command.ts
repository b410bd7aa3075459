import { Option, type Command } from "commander";
import { newCommand, newGroup } from "../command.ts";
import type { OutputOptions } from "../print.ts";
import { DEFAULT_STORE } from "../serve/command.ts";
import type { CreateOptions } from "./create.ts";

const ROLES = ["viewer", "requester", "reviewer", "admin"];

/** Options of the commands that work on a store and need no server. */
export interface StoreOptions extends OutputOptions {
  store: string;
}

/** `countersign token …`: who may use a server. */
export function tokenCommand(): Command {
  const token = newGroup("token", "make, list and revoke the tokens of a store");
  token.addCommand(
    withStore(newCommand("create", "make a token and print it, once"))
      .requiredOption("--name <id>", "who its holder is; decisions are recorded under it")
      .addOption(
        new Option("--role <role...>", "what they may do; once for each role")
          .choices(ROLES)
          .makeOptionMandatory(),
      )
      .option("--expires <time>", "how long it holds, such as 30d; default: until revoked")
      .action(async (options: CreateOptions) => (await import("./create.ts")).createToken(options)),
  );
  token.addCommand(
    withStore(newCommand("list", "list all tokens there ever were, without secrets")).action(
      async (options: StoreOptions) => (await import("./list.ts")).listTokens(options),
    ),
  );
  token.addCommand(
    withStore(newCommand("revoke", "revoke a token; it is refused at once, everywhere"))
      .argument("<token-id>", "its id, as the list has it")
      .action(async (id: string, options: StoreOptions) =>
        (await import("./revoke.ts")).revokeToken(id, options),
      ),
  );
  return token;
}

function withStore(command: Command): Command {
  return command.addOption(
    new Option("--store <url>", "file: or postgres:").env("COUNTERSIGN_STORE").default(DEFAULT_STORE),
  );
}
