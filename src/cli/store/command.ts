import { Option, type Command } from "commander";
import { newCommand, newGroup } from "../command.ts";
import type { OutputOptions } from "../print.ts";
import { DEFAULT_STORE } from "../serve/command.ts";

/** Options of the commands that keep a store. */
export interface StoreOptions extends OutputOptions {
  store: string;
}

/** `countersign store …`: copying a store, putting a copy back, and looking whether it is sound. */
export function storeCommand(): Command {
  const store = newGroup("store", "back up, restore or check a store");
  store.addCommand(
    withStore(newCommand("backup", "copy the store into a file, while a server uses it or not"))
      .argument("<file>", "the file to make")
      .option("--force", "replace a file that is there")
      .action(async (file: string, options: StoreOptions & { force?: boolean }) =>
        (await import("./backup.ts")).backup(file, options),
      ),
  );
  store.addCommand(
    withStore(newCommand("restore", "put a backup in the place of the store, which no server may be using"))
      .argument("<file>", "the backup")
      .action(async (file: string, options: StoreOptions) =>
        (await import("./restore.ts")).restore(file, options),
      ),
  );
  store.addCommand(
    withStore(newCommand("check", "look for damage and loose ends; exit code 1 when there are any")).action(
      async (options: StoreOptions) => (await import("./check.ts")).check(options),
    ),
  );
  return store;
}

function withStore(command: Command): Command {
  return command.addOption(
    new Option("--store <url>", "file: or postgres:").env("COUNTERSIGN_STORE").default(DEFAULT_STORE),
  );
}
