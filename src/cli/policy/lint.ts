import {
  definePolicy,
  isTier,
  lintPolicy,
  PolicyError,
  type Finding,
  type ToolFacts,
} from "../../policy/index.ts";
import { EXIT, usageError } from "../cli-error.ts";
import { Client } from "../client.ts";
import { printResult, type OutputOptions } from "../print.ts";
import { exact } from "../readable.ts";
import { COLUMNS, wrap } from "../wrap.ts";
import { readPolicyFile } from "./call.ts";

export interface LintOptions extends OutputOptions {
  risk?: string[];
  used?: string;
}

type Line = Pick<Finding, "severity" | "path" | "message">;

/** `policy lint FILE`: what is wrong with a policy file. The exit code is 1 when there is an error. */
export async function lintFile(file: string, options: LintOptions): Promise<void> {
  const { document } = readPolicyFile(file);
  const findings = findingsIn(document, options.risk?.map(readRisk));
  if (options.used !== undefined) findings.push(...(await unusedRules(document, options.used)));
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const summary =
    findings.length === 0
      ? `nothing found. Whether its tools exist is checked when a server starts with it.${options.risk === undefined ? " --risk TOOL=TIER tells what is declared of them." : ""}`
      : `${count(errors, "error")}, ${count(findings.length - errors, "warning")}.`;
  printResult(options, { ok: errors === 0, file, findings }, () => [
    ...findings.flatMap(({ severity, path, message }) =>
      wrap(exact(`${severity}: ${path === "" ? "" : `${path}: `}${message}`), COLUMNS),
    ),
    ...wrap(exact(`${file}: ${summary}`), COLUMNS),
  ]);
  if (errors > 0) process.exitCode = EXIT.failed;
}

/** A tool and its declared risk from the command line. @throws {CliError} `usage` */
function readRisk(text: string): ToolFacts {
  const [name = "", tier = "", ...more] = text.split("=");
  if (name !== "" && isTier(tier) && more.length === 0) return { name, declared: tier };
  throw usageError(
    `--risk is "${text}"; give TOOL=TIER, the tier auto, suggest, approve or deny, like delete_file=approve.`,
  );
}

function findingsIn(document: unknown, tools?: readonly ToolFacts[]): Line[] {
  try {
    // The risks that are told need not be of all the tools there are, so a tool that is not among them may exist.
    return lintPolicy(definePolicy(document), tools).filter(({ code }) => code !== "unknown_tool");
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return error.errors.map(({ path, message }) => ({ severity: "error", path, message }));
  }
}

/** Rules that counted for no call of a server in the last time. */
async function unusedRules(document: unknown, last: string): Promise<Line[]> {
  const { rules = [] } = document as { rules?: { id?: unknown }[] };
  const client = new Client();
  const { rules: used } = await client.send<{ rules: { id: string }[] }>("/fatigue", { query: { last } });
  return rules.flatMap(({ id }, index): Line[] => {
    if (used.some((one) => one.id === id)) return [];
    const message = `rule "${String(id)}" counted for no call at ${client.url} in the last ${last}`;
    return [{ severity: "warning", path: `rules[${index}]`, message }];
  });
}

function count(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}
