import { exact } from "../readable.ts";

/** A log line as a person reads it: the time, the words, and then what there is to know. */
export function logLine(json: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const known = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const words = [clock, String(level).toUpperCase().padEnd(5), exact(String(msg)), ...known].join(" ");
  const stack = (err as { stack?: unknown } | undefined)?.stack;
  return typeof stack === "string" ? `${words}\n${stack}\n` : `${words}\n`;
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[\w.:/@-]+$/.test(text) ? text : exact(JSON.stringify(text));
}
