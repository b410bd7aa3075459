import { approvalId, digest, type ApprovalKind, type Command } from "../ledger/index.ts";
import { maskedPaths, type Verdict } from "../policy/index.ts";
import type { Entry } from "./entry.ts";
import { requester } from "./host.ts";
import { peopleOf } from "./people-of.ts";

export type AskCommand = Command & { type: "ask" };

/** What is asked about: the call that would run, and why it is asked. */
export interface Subject {
  kind: ApprovalKind;
  tool: string;
  args: Record<string, unknown>;
  verdict: Verdict;
  description: string | null;
  args_schema: Record<string, unknown> | null;
  /** Where the paths among the arguments lead. */
  paths?: Record<string, string | null> | undefined;
  /** What policy's limits make of the question. */
  asking?: Pick<AskCommand["data"], "takes" | "quiet_until" | "in_place_of"> | undefined;
}

/** The command that asks about a call. */
export function askCommand(entry: Entry, subject: Subject): AskCommand {
  const { kind, tool, args, verdict, description, args_schema } = subject;
  const { clock, answer } = entry.parts;
  const round = (entry.call?.approvals.length ?? 0) + 1;
  const { review } = verdict;
  return {
    type: "ask",
    data: {
      approval_id: approvalId(entry.target.call_id, round),
      kind,
      round,
      tool_call_id: entry.input.call.id,
      turn_id: entry.turn_id,
      ...{ tool, args, description, args_schema },
      args_digest: digest(args),
      tier: verdict.tier,
      rules: verdict.rules,
      reason: verdict.reason ?? verdict.why,
      allowed_decisions: kind === "outcome" ? ["approve", "reject", "respond"] : review.decisions,
      require_reason: review.requireReason,
      on_new_input: review.onNewInput,
      ...peopleOf(kind, review),
      ...subject.asking,
      ...(kind === "call" && rememberable(entry, subject)),
      ...(kind === "call" && watched(verdict)),
      // What happened to an execution is known to people only: no clock answers that.
      expires_at: kind === "outcome" ? null : new Date(clock() + review.timeoutMs).toISOString(),
      asked_by: answer === undefined ? "interrupt" : "callback",
      interrupt_id: null,
      checkpoint_id: entry.place.checkpoint_id,
    },
  };
}

/** What of the decision may be remembered. For a user only where it is known who asked. */
function rememberable(entry: Entry, { verdict, args, args_schema, paths = {} }: Subject) {
  const { review, grants } = verdict;
  const scopes = grants.scopes.filter((scope) => scope !== "user" || requester().requested_by !== undefined);
  // Where several must approve, each of them says it of this very call.
  if (!review.remember || review.quorum > 1 || scopes.length === 0) return {};
  const hidden = maskedPaths(entry.masks(), args);
  const shown = Object.entries(paths).filter(([name]) => !hidden.includes(name));
  return {
    remember: {
      ...{ scopes, max_ttl: grants.maxTtl, max_uses: grants.maxUses },
      schema_digest: args_schema && digest(args_schema),
      ...(shown.length > 0 && { paths: Object.fromEntries(shown) }),
    },
  };
}

/** What policy says of reviewers who no longer read. */
function watched({ rubberStamp }: Verdict) {
  if (rubberStamp === null) return {};
  const { window, approveRate, medianSeconds, then } = rubberStamp;
  return {
    rubber_stamp: {
      ...{ window, approve_rate: approveRate, median_seconds: medianSeconds },
      require_reason: then.requireReason,
      pause_seconds: then.pauseSeconds,
      second_reviewer: then.secondReviewer,
    },
  };
}
