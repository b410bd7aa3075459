import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { CliError, usageError } from "../cli-error.ts";
import { readJsonObject } from "../json-argument.ts";
import { packageFile } from "../package-files.ts";
import {
  definePolicy,
  isTier,
  pathArguments,
  type Facts,
  type Policy,
  type PolicyCall,
} from "../../policy/index.ts";
import type { OutputOptions } from "../print.ts";

export interface CallOptions extends OutputOptions {
  tool: string;
  args: string;
  policy?: string;
  risk?: string;
  graph?: string;
}

/** A call to be judged here, with all that is known of it, and notes on what is not. */
export interface LocalCall {
  policy: Policy;
  /** Where the policy comes from, in words. */
  source: string;
  call: PolicyCall;
  facts: Facts;
  notes: string[];
}

const UNKNOWN_RISK =
  "What the tool's author declares is not known here: --risk tells it, --graph asks the server.";

/** Reads a policy file; without a name, the everyday policy of this package. @throws {CliError} naming the file. */
export function readPolicyFile(file?: string): { document: unknown; source: string } {
  const path = file ?? packageFile("graphs/policies/everyday.json");
  const source = file ?? "the everyday policy of this package";
  try {
    return { document: JSON.parse(readFileSync(path, "utf8")) as unknown, source };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const isThere = cause instanceof SyntaxError;
    const detail = isThere ? `${path} is not valid JSON (${why}).` : `${path} cannot be read (${why}).`;
    throw new CliError({ title: "Bad file", code: isThere ? "invalid_json" : "no_file", detail }, { cause });
  }
}

/** The call of the command line, made ready for `evaluate`. @throws {CliError} for what cannot be read. */
export function readLocalCall(options: CallOptions): LocalCall {
  const args = readJsonObject(options.args, "--args");
  const { document, source } = readPolicyFile(options.policy);
  const policy = definePolicy(document);
  const { risk } = options;
  if (risk !== undefined && !isTier(risk)) {
    throw usageError(`--risk is "${risk}"; give auto, suggest, approve or deny.`);
  }
  const paths = lexicalPaths(pathArguments(policy, options.tool), args);
  return {
    policy,
    source,
    call: { name: options.tool, args },
    facts: { tool: { name: options.tool, declared: risk, fields: Object.keys(args) }, paths },
    notes: [
      ...(risk === undefined ? [UNKNOWN_RISK] : []),
      ...(Object.keys(paths).length === 0 ? [] : ["Paths are taken as written; no link was followed."]),
    ],
  };
}

/** Paths as far as their text tells: relative to the workspace, null when they leave it. */
function lexicalPaths(names: readonly string[], args: Record<string, unknown>): Facts["paths"] & object {
  const paths: Record<string, string | null> = {};
  for (const name of names) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (typeof value === "string") paths[name] = lexicalPath(value);
  }
  return paths;
}

function lexicalPath(path: string): string | null {
  const normal = posix.normalize(path).replace(/\/$/, "");
  if (posix.isAbsolute(normal) || normal === ".." || normal.startsWith("../")) return null;
  return normal === "." ? "" : normal;
}
