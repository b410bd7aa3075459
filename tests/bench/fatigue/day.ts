import { readFileSync } from "node:fs";

/** One message of a user and the calls that the model makes of it. */
export interface Turn {
  /** The time of the day, `hh:mm:ss`. */
  at: string;
  thread: string;
  said: string;
  calls: { tool: string; args: Record<string, unknown> }[];
  /** Why nobody would want these calls. */
  harm?: string;
}

const MIDNIGHT = Date.parse("2026-06-01T00:00:00.000Z");

/** The calls of a working day, in their order. */
export function readDay(): Turn[] {
  const path = new URL("../../../notebooks/day.json", import.meta.url);
  return (JSON.parse(readFileSync(path, "utf8")) as { turns: Turn[] }).turns;
}

/** The moment of a turn, in milliseconds since 1970. */
export function momentOf({ at }: Turn): number {
  const [hours = 0, minutes = 0, seconds = 0] = at.split(":").map(Number);
  return MIDNIGHT + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}
