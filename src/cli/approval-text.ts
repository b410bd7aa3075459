import type { Approval } from "../ledger/index.ts";
import { escalatedLines, mayDecideLines, onTimeoutLines, votesLines, votesText } from "./people-text.ts";
import { groupLines, inGroups } from "./approval-groups.ts";
import { exact, flatJson, prettyJson, readable, readableAgain } from "./readable.ts";
import { table } from "./table.ts";
import { timeLeft } from "./time-left.ts";
import { clip, COLUMNS, wrap } from "./wrap.ts";

const LABEL = 11;
const MOST_LINES = 12;

/** What is asked, where it is not whether the call may run. */
const QUESTIONS: Partial<Record<Approval["kind"], string>> = {
  outcome: "It left no result: approve runs it again, respond tells its result.",
  interrupt: "The graph asks this by itself, and does with the answer what it likes.",
};

/** Lines of a card, and whether some of the arguments were left out. */
export interface Card {
  lines: string[];
  isClipped: boolean;
}

/**
 * One approval as people read it: tool, arguments, tier, rules, reason, time left, id.
 *
 * @param options.full show arguments of any length; else their first lines.
 * @param options.columns how wide a line may be.
 */
export function approvalCard(
  approval: Approval,
  options: { full?: boolean; columns?: number; now?: number } = {},
): Card {
  const width = (options.columns ?? COLUMNS) - LABEL;
  const args = prettyArguments(approval.args, width);
  const isClipped = options.full !== true && args.length > MOST_LINES;
  const shown = isClipped ? args.slice(0, MOST_LINES - 1) : args;
  const rest = isClipped ? [`… ${args.length - shown.length} more lines, shown on request`] : [];
  const { tool, tier, rules, reason, description, status, expires_at, approval_id } = approval;
  const about = description === null ? [] : field("what", wrap(readableAgain(description), width));
  const words = QUESTIONS[approval.kind];
  const question = words === undefined ? [] : field("question", wrap(words, width));
  return {
    isClipped,
    lines: [
      ...field("tool", [clip(exact(tool), width)]),
      ...about,
      ...question,
      ...field("arguments", [...shown, ...rest]),
      ...field("tier", [tier]),
      ...field("rule", wrap(rules.length === 0 ? "none" : rules.map(exact).join(", "), width)),
      ...field("reason", prose(reason, width)),
      ...field("votes", wrapAll(votesLines(approval), width)),
      ...field("who", wrapAll(mayDecideLines(approval), width)),
      ...field("escalated", wrapAll(escalatedLines(approval), width)),
      ...field("quiet", wrapAll(quietLines(approval, options.now), width)),
      ...(status === "pending" ? field("time left", [timeLeft(expires_at, options.now)]) : []),
      ...field("then", wrapAll(onTimeoutLines(approval), width)),
      ...field("id", [approval_id]),
    ],
  };
}

/** Why nobody was told of a question, as long as nobody is. */
function quietLines({ status, quiet_until }: Approval, now = Date.now()): string[] {
  if (status !== "pending" || quiet_until === undefined || Date.parse(quiet_until) <= now) return [];
  return [`until ${quiet_until}: people were asked as much as policy allows`];
}

/**
 * The rows of several approvals, each with its arguments on a line of its own. Those of one group that are pending stand
 * together, under a line that names the group.
 */
export function approvalTable(approvals: readonly Approval[], now = Date.now()): string[] {
  const groups = inGroups(approvals);
  const above = groupLines(groups);
  const ordered = groups.flat();
  const rows = ordered.map((one) => [
    one.approval_id,
    clip(exact(one.tool), 14),
    one.status === "pending" ? one.tier : one.status,
    one.status === "pending" ? timeLeft(one.expires_at, now) : "",
  ]);
  const [headings = "", ...lines] = table(["ID", "TOOL", "TIER", "TIME LEFT"], rows);
  return [
    headings,
    ...lines.flatMap((line, index) => [
      ...[above.get(ordered[index]) ?? []].flat(),
      line,
      `  ${clip(flatJson(ordered[index]?.args), COLUMNS - 2)}`,
      ...peopleLines(ordered[index], now),
    ]),
  ];
}

/** Votes, who may decide, escalations and quiet of a pending approval; no line where there is nothing of that. */
function peopleLines(approval: Approval | undefined, now: number): string[] {
  if (approval?.status !== "pending") return [];
  const quiet = quietLines(approval, now).map((line) => `quiet ${line}`);
  const people = [votesText(approval) ?? [], mayDecideLines(approval), escalatedLines(approval)];
  const parts = [...people, quiet].flat();
  return parts.length === 0 ? [] : wrap(parts.join("; "), COLUMNS - 2).map((line) => `  ${line}`);
}

/** How an approval ended and what became of its call: lines under its card. */
export function approvalEnd({ status, decision, execution, next_approval_id }: Approval): string[] {
  if (status === "pending") return field("status", ["pending"]);
  const width = COLUMNS - LABEL;
  const edited = decision?.args === undefined ? [] : field("edited", prettyArguments(decision.args, width));
  const message = decision?.message === undefined ? [] : field("message", prose(decision.message, width));
  const why = decision?.reason === undefined ? [] : field("why", prose(decision.reason, width));
  const error = execution.error === undefined ? "" : `: ${execution.error}`;
  const ran = execution.state === "none" ? "nothing was run" : `${execution.state}${error}`;
  return [
    ...field("status", [`${status}${decision === null ? "" : ` by ${deciderOf(decision)}`}`]),
    ...edited,
    ...message,
    ...why,
    ...field("execution", prose(ran, width)),
    ...(next_approval_id === null ? [] : field("next", [next_approval_id])),
  ];
}

/** Who decided, in words: `a user`, `the user u_17`, `the timeout`. */
export function deciderOf({ decided_by }: NonNullable<Approval["decision"]>): string {
  if (decided_by.id !== undefined) return `the ${decided_by.kind} ${exact(decided_by.id)}`;
  return decided_by.kind === "user" ? "a user" : `the ${decided_by.kind}`;
}

/** JSON over several lines when it does not fit on one. */
function prettyArguments(args: Approval["args"], width: number): string[] {
  const flat = flatJson(args);
  return flat.length <= width ? [flat] : prettyJson(args).flatMap((line) => wrap(line, width));
}

function wrapAll(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line) => wrap(line, width));
}

function prose(text: string, width: number): string[] {
  return wrap(readable(text), width);
}

function field(label: string, lines: string[]): string[] {
  return lines.map((line, index) => `${(index === 0 ? label : "").padEnd(LABEL)}${line}`);
}
