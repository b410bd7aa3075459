import { Option, type Command } from "commander";
import { DEFAULT_HOST, DEFAULT_PORT } from "../address.ts";
import { newCommand } from "../command.ts";
import { addJwtFlags } from "./jwt-options.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log-settings.ts";
import type { ServeOptions } from "./serve.ts";

export const DEFAULT_STORE = "file:.countersign/state.db";

/** `countersign serve`: the server. */
export function serveCommand(): Command {
  return addJwtFlags(newCommand("serve", "run the server for the graphs of a langgraph.json"))
    .option("--config <file>", "default: langgraph.json here, else the bundled agent")
    .addOption(
      new Option("--port <n>", "0 takes any free port").env("COUNTERSIGN_PORT").default(String(DEFAULT_PORT)),
    )
    .addOption(
      new Option("--host <name>", "a name of this machine").env("COUNTERSIGN_HOST").default(DEFAULT_HOST),
    )
    .addOption(
      new Option("--store <url>", "file: or postgres:").env("COUNTERSIGN_STORE").default(DEFAULT_STORE),
    )
    .option("--allow-origin <url...>", "pages of this origin may use the server, and decide")
    .option("--allow-webhook-host <host...>", "webhooks may go there though its address is not public")
    .option("--notify <url...>", "tell approvals there, signed with COUNTERSIGN_NOTIFY_SECRET")
    .addOption(
      new Option("--public-url <url>", "where people reach the server, for links to it").env(
        "COUNTERSIGN_PUBLIC_URL",
      ),
    )
    .option("--studio", "let LangGraph Studio use the server, and print its link")
    .addOption(
      new Option("--log-level <level>", "what is told on standard error")
        .choices(LOG_LEVELS)
        .env("COUNTERSIGN_LOG_LEVEL")
        .default("info"),
    )
    .addOption(
      new Option("--log-format <format>", "default: text on a terminal, else json").choices(LOG_FORMATS),
    )
    .action(async (options: ServeOptions) => (await import("./serve.ts")).serve(options));
}
