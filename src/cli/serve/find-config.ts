import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import { packageFile } from "../package-files.ts";

/** A `langgraph.json`, and whether it is the one of the bundled agent. */
export interface FoundConfig {
  path: string;
  isBundled: boolean;
}

/**
 * The config to serve: the one that is named, else `langgraph.json` in this folder, else that of the bundled agent.
 *
 * @throws {CliError} `no_config` when the named one is not there.
 */
export function findConfig(named?: string): FoundConfig {
  const bundled = packageFile("langgraph.json");
  const path = resolve(named ?? "langgraph.json");
  if (existsSync(path)) return { path, isBundled: realpathSync(path) === realpathSync(bundled) };
  if (named === undefined) return { path: bundled, isBundled: true };
  const detail = `${path} does not exist. Give the path of a langgraph.json with --config.`;
  throw new CliError({ title: "No config", code: "no_config", detail });
}
