import { definePolicy, lintPolicy, PolicyError, type Finding } from "../../policy/index.ts";
import { EXIT } from "../cli-error.ts";
import { printResult, type OutputOptions } from "../print.ts";
import { exact } from "../readable.ts";
import { COLUMNS, wrap } from "../wrap.ts";
import { readPolicyFile } from "./call.ts";

type Line = Pick<Finding, "severity" | "path" | "message">;

/** `policy lint FILE`: what is wrong with a policy file. The exit code is 1 when there is an error. */
export async function lintFile(file: string, options: OutputOptions): Promise<void> {
  const findings = findingsIn(readPolicyFile(file).document);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const summary =
    findings.length === 0
      ? "nothing found. Whether its tools exist is checked when a server starts with it."
      : `${count(errors, "error")}, ${count(findings.length - errors, "warning")}.`;
  printResult(options, { ok: errors === 0, file, findings }, () => [
    ...findings.flatMap(({ severity, path, message }) =>
      wrap(exact(`${severity}: ${path === "" ? "" : `${path}: `}${message}`), COLUMNS),
    ),
    ...wrap(exact(`${file}: ${summary}`), COLUMNS),
  ]);
  if (errors > 0) process.exitCode = EXIT.failed;
}

function findingsIn(document: unknown): Line[] {
  try {
    return lintPolicy(definePolicy(document));
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return error.errors.map(({ path, message }) => ({ severity: "error", path, message }));
  }
}

function count(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}
