import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { CliError, usageError } from "../cli-error.ts";
import { readJsonObject } from "../json-argument.ts";
import { packageFile } from "../package-files.ts";
import {
  definePolicy,
  isTier,
  pathArguments,
  PolicyError,
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
  thread?: string;
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

/** The policies of this package. */
const NAMED = ["careful", "everyday", "headless"];

/** Reads a policy: of a file, else of this package by its name, `everyday` by default. @throws {CliError} naming the file. */
export function readPolicyFile(given = "everyday"): { document: unknown; source: string } {
  const isNamed = NAMED.includes(given);
  const path = isNamed ? packageFile(`graphs/policies/${given}.json`) : given;
  const source = isNamed ? `the ${given} policy of this package` : given;
  let text = "";
  try {
    text = readFileSync(path, "utf8");
    return { document: JSON.parse(text) as unknown, source };
  } catch (cause) {
    const isThere = cause instanceof SyntaxError;
    const message = cause instanceof Error ? cause.message : String(cause);
    const why = isThere ? withLine(message, text) : message;
    const detail = isThere ? `${path} is not valid JSON (${why}).` : `${path} cannot be read (${why}).`;
    throw new CliError({ title: "Bad file", code: isThere ? "invalid_json" : "no_file", detail }, { cause });
  }
}

/** A parser's message, with the line and column of the position that it names. Newer ones say them already. */
function withLine(message: string, text: string): string {
  const position = /at position (\d+)$/.exec(message)?.[1];
  if (position === undefined) return message;
  const before = text.slice(0, Number(position)).split("\n");
  return `${message}, line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

/** The policy that a file holds. @throws {CliError} `invalid_policy`, saying how to see all that is wrong. */
function definePolicyOf(document: unknown, file: string | undefined): Policy {
  try {
    return definePolicy(document);
  } catch (cause) {
    if (!(cause instanceof PolicyError) || cause.errors.length < 2 || file === undefined) throw cause;
    const detail = `${cause.message}. Run "countersign policy lint ${file}" for all of them.`;
    throw new CliError({ title: "Invalid policy", code: cause.code, detail }, { cause });
  }
}

/** The call of the command line, made ready for `evaluate`. @throws {CliError} for what cannot be read. */
export function readLocalCall(options: CallOptions): LocalCall {
  const args = readJsonObject(options.args, "--args");
  const { document, source } = readPolicyFile(options.policy);
  const policy = definePolicyOf(document, options.policy);
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
      ...reviewersIn(policy),
      ...(Object.keys(paths).length === 0 ? [] : ["Paths are taken as written; no link was followed."]),
    ],
  };
}

function reviewersIn({ reviewers }: Policy): string[] {
  if (reviewers.length === 0) return [];
  const names = reviewers.map(({ use }) => `"${use}"`).join(", ");
  return [`Automatic reviewers are registered in code; whether there is ${names} is not looked up here.`];
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
