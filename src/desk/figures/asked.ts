import type { ApprovalStatus, DecidedBy, LedgerEvent } from "../../ledger/index.ts";
import type { Tier } from "../../policy/index.ts";

/** One question that was put to people, and what came of it. Times are milliseconds since 1970. */
export interface Asked {
  approval_id: string;
  thread_id: string;
  /** The run, from one input to the next: those that go on after an answer belong to it. */
  run: string;
  tool: string;
  rules: string[];
  tier: Tier;
  /** The tool, the rules and the names of the arguments. */
  shape: string;
  /** How much there was to read, in characters. */
  length: number;
  asked_at: number;
  shown_at: number | null;
  decided_at: number | null;
  status: ApprovalStatus;
  decided_by: DecidedBy | null;
}

/** A call that nobody was asked about, and whom that is owed to. */
export interface Saved {
  kind: "rule" | "grant" | "allowance" | "reviewer" | "policy";
  id: string | null;
}

/** What events say of questions: those put to people, those that were saved, and how many calls each rule counted for. */
export function askedIn(events: readonly LedgerEvent[]): {
  asked: Asked[];
  saved: Saved[];
  rules: Map<string, number>;
} {
  const used = new Map<string, number>();
  const asked = new Map<string, Asked>();
  const unasked = new Set<string>();
  const runs = new Map<string, number>();
  const saved: Saved[] = [];
  for (const event of events) {
    const { thread_id } = event;
    switch (event.type) {
      case "run_started":
        if (event.data.cause === "input") runs.set(thread_id, (runs.get(thread_id) ?? 0) + 1);
        break;
      case "tool_call_started": {
        const { tier, base, rules } = event.data;
        for (const rule of rules) used.set(rule, (used.get(rule) ?? 0) + 1);
        const isRelaxed = tier === "auto" || tier === "suggest";
        // Only where the call would have been asked about without its rules.
        if (isRelaxed && (base === "approve" || base === "deny"))
          saved.push({ kind: "rule", id: rules[0] ?? null });
        break;
      }
      case "approval_requested": {
        const { approval_id, asked_by, announced } = event.data;
        if (announced) break;
        if (asked_by === "none") unasked.add(approval_id);
        else asked.set(approval_id, questionOf(event, runOf(event, runs.get(thread_id) ?? 0)));
        break;
      }
      case "approval_shown": {
        const one = asked.get(event.data.approval_id);
        if (one) one.shown_at ??= Date.parse(event.at);
        break;
      }
      case "approval_resolved": {
        const { approval_id, status, decision } = event.data;
        const { kind, id = null } = decision.decided_by;
        const one = asked.get(approval_id);
        if (one) {
          Object.assign(one, { status, decided_at: Date.parse(event.at), decided_by: decision.decided_by });
          if (kind === "reviewer") saved.push({ kind, id });
        } else if (unasked.has(approval_id) && isSaving(kind)) saved.push({ kind, id });
        break;
      }
      default:
    }
  }
  return { asked: [...asked.values()], saved, rules: used };
}

/** The run that a question was counted for; in rows that say nothing of it, the one that the thread was in. */
function runOf({ thread_id, data }: LedgerEvent & { type: "approval_requested" }, run: number): string {
  const counted = data.takes?.find(({ meter }) => meter === "asksPerRun");
  return counted?.subject ?? `${thread_id} ${run}`;
}

function isSaving(kind: DecidedBy["kind"]): kind is Exclude<Saved["kind"], "rule"> {
  return ["grant", "allowance", "reviewer", "policy"].includes(kind);
}

function questionOf(event: LedgerEvent & { type: "approval_requested" }, run: string): Asked {
  const { approval_id, tool, rules, tier, args, reason, description } = event.data;
  const sorted = [...rules].sort();
  const fields = Object.keys(args).sort();
  const text = `${tool}${reason}${description ?? ""}${JSON.stringify(args)}`;
  return {
    ...{ approval_id, tool, tier, rules: sorted },
    ...{ thread_id: event.thread_id, run },
    shape: JSON.stringify([tool, sorted, fields]),
    length: text.length,
    asked_at: Date.parse(event.at),
    ...{ shown_at: null, decided_at: null, status: "pending", decided_by: null },
  };
}
