import { usageError } from "./cli-error.ts";

/** A JSON object from the command line. @throws {CliError} `usage`, naming the option. */
export function readJsonObject(text: string, option: string): Record<string, unknown> {
  const value = parseObject(text);
  if (typeof value === "string") {
    throw usageError(`${option} ${value}; write it like ${option} '{"path": "notes/old.md"}'.`);
  }
  return value;
}

/** The object that a text holds, or what is wrong with it. */
export function parseObject(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    return "must be a JSON object";
  } catch (error) {
    return `is not valid JSON (${error instanceof Error ? error.message : "unreadable"})`;
  }
}

/** A whole number from the command line. @throws {CliError} `usage`, naming the option. */
export function readCount(text: string, option: string, most: number): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count >= 1 && count <= most) return count;
  throw usageError(`${option} is "${text}"; give a whole number from 1 to ${most}.`);
}
