import { clausesOf } from "./clauses.ts";
import type { Clause } from "./clauses.ts";
import { readFiles } from "./file-clauses.ts";
import { readOutside } from "./outside-clauses.ts";
import { lift, restore } from "./quotes.ts";

/** A call that a clause asks for. */
export interface PlannedCall {
  tool: string;
  args: Record<string, string | Record<string, string>>;
}

/** What is missing for a call. */
export type Missing = "content" | "path" | "target" | "command" | "database" | "statement";

export type Reading =
  { kind: "call"; call: PlannedCall } | { kind: "missing"; what: Missing } | { kind: "unclear" };

/** What a request asks for, in the order in which it is to be done. */
export interface Plan {
  /** Calls that go out together; the next group waits until this one is done. */
  groups: PlannedCall[][];
  /** Clauses that were understood but for one thing. */
  missing: { text: string; what: Missing }[];
  /** Clauses that were not understood. */
  unclear: string[];
}

const MAX_SENTENCE = 4000;

/** Reads a request. Total: what it does not understand is in the plan as such. */
export function planOf(request: string): Plan {
  const { text, quotes } = lift(request);
  const plan: Plan = { groups: [], missing: [], unclear: [] };
  // The rules are meant for sentences. Long texts belong into quotation marks, which are taken out by now.
  if (text.length > MAX_SENTENCE) return { ...plan, unclear: [`${text.slice(0, 80)}…`] };
  for (const clause of clausesOf(text)) {
    const reading = readClause(clause, quotes);
    const said = restore(clause.text, quotes);
    if (reading.kind === "missing") plan.missing.push({ text: said, what: reading.what });
    else if (reading.kind === "unclear") plan.unclear.push(said);
    else if (clause.later || plan.groups.length === 0) plan.groups.push([reading.call]);
    else plan.groups.at(-1)?.push(reading.call);
  }
  return plan;
}

function readClause(clause: Clause, quotes: ReturnType<typeof lift>["quotes"]): Reading {
  switch (clause.action) {
    case undefined:
      return { kind: "unclear" };
    case "run":
    case "sql":
    case "http":
      return readOutside(clause.action, clause.text, quotes);
    default:
      return readFiles(clause.action, clause.text, quotes);
  }
}
