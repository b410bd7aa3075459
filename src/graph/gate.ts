import {
  approvalId,
  digest,
  lastApproval,
  lastExecution,
  type Approval,
  type Command,
  type Execution,
} from "../ledger/index.ts";
import { NOTHING_KNOWN, whoDecides } from "../desk/index.ts";
import { exceeds } from "../policy/index.ts";
import { passQuestion } from "./ask.ts";
import { Overtaken, type Entry } from "./entry.ts";
import type { Judged } from "./judge.ts";
import { disclosedBy } from "./people-of.ts";
import { putQuestion, subjectOf } from "./put-question.ts";
import { settleByAllowance, settleByGrant, settleUnasked } from "./settle-unasked.ts";
import { standingOf } from "./standing-of.ts";
import { repeatText } from "./texts.ts";
import { afterExecution, run, type Passed } from "./run-call.ts";
import { answered, recordedMessage } from "./tool-message.ts";
import { underThreadMode } from "./under-thread-mode.ts";

/**
 * The hard gate: takes one call from its first entry to its one tool message. It trusts nothing in the task's input
 * but the call, and nothing that happened before but the ledger.
 *
 * @throws {GraphInterrupt} as long as a person is asked, or the tool itself asks something.
 */
export async function pass(entry: Entry): Promise<Passed> {
  await entry.read();
  let position = 0;
  for (const approval of entry.call?.approvals ?? []) {
    await passQuestion(entry, approval, position);
    if (approval.asked_by === "interrupt") position += 1;
  }
  for (;;) {
    try {
      const passed = await step(entry);
      if (passed !== undefined) return passed;
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      await entry.read();
    }
  }
}

/** One step further, by what the ledger holds now; `undefined` when there is another step to take. */
async function step(entry: Entry): Promise<Passed | undefined> {
  const { call } = entry;
  if (call?.result) return recordedMessage(entry, call.result);
  const effective = entry.effective();
  const judgement = await underThreadMode(entry, entry.parts.judge.judge(effective, entry.input.overlays));
  const execution = call ? lastExecution(call) : undefined;
  const approval = call ? lastApproval(call) : undefined;
  if (
    execution &&
    (execution.state === "started" ||
      execution.state === "paused" ||
      approvalOf(execution) === approval?.approval_id)
  ) {
    return afterExecution(entry, execution, judgement);
  }
  if (judgement.kind === "invalid") return onInvalid(entry, judgement.message, approval);
  if (approval === undefined) return judgeFirst(entry, judgement);
  return afterApproval(entry, approval, judgement);
}

async function judgeFirst(entry: Entry, judged: Judged): Promise<Passed | undefined> {
  const { verdict } = judged;
  const start = entry.start(verdict);
  const isOpen = verdict.tier === "approve" && verdict.mode === "interactive";
  const who = whoDecides(verdict, isOpen ? await standingOf(entry, judged) : NOTHING_KNOWN);
  switch (who.kind) {
    case "denied":
      return answered(entry, [start], "denied", verdict.reason ?? verdict.why);
    case "runs": {
      const { tier } = who;
      const announce = tier === "suggest" ? [announcement(entry, judged)] : [];
      return run(entry, judged, { kind: "verdict", tier, rules: verdict.rules }, [start, ...announce]);
    }
    case "grant": {
      const isSettled = await settleByGrant(entry, subjectOf(entry, judged), [start], who.grant);
      // It was used up or revoked in this moment: what else there is decides.
      return isSettled ? undefined : judgeFirst(entry, judged);
    }
    case "allowance": {
      const subject = subjectOf(entry, judged);
      if (await settleByAllowance(entry, subject, [start], who.allowed)) return undefined;
      return putQuestion(entry, subject, verdict, [start]);
    }
    case "repeat":
      await settleUnasked(entry, subjectOf(entry, judged), [start], "rejected", repeatText(who.earlier));
      return undefined;
    case "mode":
    case "people":
      return putQuestion(entry, subjectOf(entry, judged), verdict, [start]);
  }
}

async function afterApproval(entry: Entry, approval: Approval, judged: Judged): Promise<Passed | undefined> {
  const { status, kind } = approval;
  if (kind === "outcome" && status !== "approved" && status !== "responded")
    return answered(entry, [], "unknown", approval);
  switch (status) {
    case "pending":
      throw new TypeError("A pending question was passed.");
    case "rejected":
    case "responded":
    case "expired":
    case "cancelled":
    case "unavailable":
      return answered(entry, [], status, approval);
    case "approved":
    case "edited":
      return afterConsent(entry, approval, judged);
  }
}

/** The call was cleared as it was disclosed. What has grown stricter since, or was edited beyond it, is asked anew. */
async function afterConsent(entry: Entry, approval: Approval, judged: Judged): Promise<Passed | undefined> {
  const { verdict } = judged;
  const { approval_id } = approval;
  const isOtherTool = entry.effective().name !== approval.tool;
  const needsMore = isOtherTool || exceeds(verdict, disclosedBy(approval));
  if (!needsMore && approval.execution.state !== "blocked") {
    return run(entry, judged, { kind: "approval", approval_id }, []);
  }
  if (verdict.tier === "deny") {
    const why = verdict.reason ?? verdict.why;
    return answered(entry, [block(approval, why, null)], "denied", why);
  }
  const next = approvalId(entry.target.call_id, approval.round + 1);
  const why = `It needs more than was asked for: ${verdict.why}`;
  return putQuestion(entry, subjectOf(entry, judged), verdict, [block(approval, why, next)]);
}

async function onInvalid(
  entry: Entry,
  message: string,
  approval: Approval | undefined,
): Promise<Passed | undefined> {
  if (approval === undefined) {
    const start = entry.start({ tier: "deny", rules: [], why: message });
    return answered(entry, [start], "invalid", message);
  }
  if (approval.status !== "approved" && approval.status !== "edited") {
    return answered(entry, [], approval.status === "pending" ? "cancelled" : approval.status, approval);
  }
  return answered(entry, [block(approval, message, null)], "invalid", message);
}

function announcement(entry: Entry, judged: Judged): Command {
  const { name: tool, args } = entry.effective();
  const { verdict, description, shelved } = judged;
  return {
    type: "ask",
    data: {
      approval_id: approvalId(entry.target.call_id, 0),
      kind: "call",
      round: 1,
      tool_call_id: entry.input.call.id,
      turn_id: entry.turn_id,
      ...{ tool, args, description },
      args_digest: digest(args),
      args_schema: shelved.schema,
      tier: verdict.tier,
      rules: verdict.rules,
      reason: verdict.reason ?? verdict.why,
      ...{ allowed_decisions: [], require_reason: [], expires_at: null, asked_by: "none" },
      ...{ interrupt_id: null, checkpoint_id: entry.place.checkpoint_id, announced: true },
    },
  };
}

function block({ approval_id }: Approval, error: string, next_approval_id: string | null): Command {
  return { type: "block", approval_id, error, next_approval_id };
}

function approvalOf({ authority }: Execution): string | undefined {
  return authority.kind === "approval" ? authority.approval_id : undefined;
}
