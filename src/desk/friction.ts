import type { Approval, DecidedBy, Friction, Ledger, RubberStampTerms } from "../ledger/index.ts";
import { quantile } from "./figures/statistics.ts";
import { readingTime } from "./figures/time-to-decide.ts";

/** Decisions older than this, in milliseconds, say nothing of how awake somebody is now. */
const STALE_MS = 12 * 3_600_000;
/** Of fewer known times there is no median. */
const ENOUGH_TIMES = 5;
const NONE = { require_reason: false, decide_after: null, second_reviewer: false };

/**
 * What somebody gets for a question, since they show signs of not reading; nothing where they show none.
 *
 * Their newest decisions under each of its rules are looked at. It wears off: with decisions that show otherwise, and
 * with time.
 */
export async function frictionFor(
  ledger: Ledger,
  approval: Approval,
  by: DecidedBy,
  at: string,
): Promise<Friction | null> {
  const { rubber_stamp: terms, kind, status } = approval;
  if (terms === undefined || kind !== "call" || status !== "pending" || by.kind !== "user") return null;
  const recent = await ledger.remembered.decidedBy({
    decider: by.id ?? "",
    since: new Date(Date.parse(at) - STALE_MS).toISOString(),
  });
  const signs = causesOf(approval).flatMap(({ name, isOf }) => {
    const found = signOf(recent.filter(isOf).slice(0, terms.window), terms);
    return found === undefined ? [] : [`under ${name} you ${found}`];
  });
  if (signs.length === 0) return null;
  const { require_reason, pause_seconds, second_reviewer } = terms;
  if (!require_reason && pause_seconds === 0 && !second_reviewer) return { ...NONE, why: signs.join("; ") };
  return {
    require_reason,
    decide_after: pause_seconds === 0 ? at : afterPause(approval, pause_seconds),
    second_reviewer,
    why: signs.join("; "),
  };
}

/** The approval with what somebody gets for it. */
export async function withFriction(
  ledger: Ledger,
  approval: Approval,
  by: DecidedBy,
  at: string,
): Promise<Approval> {
  const friction = await frictionFor(ledger, approval, by, at);
  if (friction === null) return approval;
  const wanted = friction.require_reason ? (["approve", "edit"] as const) : [];
  return { ...approval, friction, require_reason: [...new Set([...approval.require_reason, ...wanted])] };
}

function afterPause({ first_shown_at }: Approval, seconds: number): string | null {
  return first_shown_at === null
    ? null
    : new Date(Date.parse(first_shown_at) + seconds * 1_000).toISOString();
}

/** What a question was asked for: each of its rules, or the tool where no rule spoke. */
function causesOf({ rules, tool }: Approval): { name: string; isOf: (other: Approval) => boolean }[] {
  if (rules.length === 0)
    return [{ name: tool, isOf: (other) => other.tool === tool && other.rules.length === 0 }];
  return rules.map((rule) => ({ name: `rule "${rule}"`, isOf: (other) => other.rules.includes(rule) }));
}

/** The sign that the newest decisions of somebody under one cause show, with its figure. */
function signOf(decided: readonly Approval[], terms: RubberStampTerms): string | undefined {
  if (decided.length < terms.window) return undefined;
  const approved = decided.filter(({ status }) => status === "approved").length;
  const said = [
    ...(approved / decided.length >= terms.approve_rate
      ? [`approved ${approved} of the last ${decided.length}`]
      : []),
    ...quickness(decided, terms),
  ];
  return said.length === 0 ? undefined : said.join(" and ");
}

/** A time that nobody knows counts neither way. */
function quickness(decided: readonly Approval[], { median_seconds }: RubberStampTerms): string[] {
  const times = decided.flatMap(({ first_shown_at, decision, args, reason }) => {
    if (first_shown_at === null || decision === null) return [];
    const ms = Math.max(0, Date.parse(decision.decided_at) - Date.parse(first_shown_at));
    const needed = readingTime(JSON.stringify(args).length + reason.length, median_seconds * 1_000);
    return [{ ms, isQuick: ms < needed }];
  });
  if (times.length < ENOUGH_TIMES || times.filter(({ isQuick }) => isQuick).length * 2 < times.length)
    return [];
  const median = quantile(
    times.map(({ ms }) => ms),
    0.5,
  );
  return [`decided half of them within ${((median ?? 0) / 1_000).toFixed(1)} s, less than the text needs`];
}
