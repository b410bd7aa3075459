import type { BaseMessage } from "@langchain/core/messages";
import type { Command as GraphCommand } from "@langchain/langgraph";
import {
  approvalId,
  digest,
  lastApproval,
  lastExecution,
  type Approval,
  type Authority,
  type Command,
  type Execution,
} from "../ledger/index.ts";
import { exceeds, type Verdict } from "../policy/index.ts";
import { openQuestion, passQuestion, settleUnasked, type Subject } from "./ask.ts";
import type { Entry } from "./entry.ts";
import { execute } from "./execute.ts";
import type { Judgement } from "./judge.ts";
import { answered, recordedMessage } from "./tool-message.ts";

/** What the tools node gives back for one call: its tool message, or what the tool itself commands. */
export type Passed = BaseMessage | GraphCommand;

type Judged = Judgement & { kind: "judged" };

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
    const passed = await step(entry);
    if (passed !== undefined) return passed;
  }
}

/** One step further, by what the ledger holds now; `undefined` when there is another step to take. */
async function step(entry: Entry): Promise<Passed | undefined> {
  const { call } = entry;
  if (call?.result) return recordedMessage(entry, call.result);
  const effective = entry.effective();
  const judgement = entry.parts.judge.judge(effective, entry.input.overlays);
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
  switch (verdict.tier) {
    case "deny":
      return answered(entry, [start], "denied", verdict.reason ?? verdict.why);
    case "auto":
    case "suggest": {
      const announce = verdict.tier === "suggest" ? [announcement(entry, judged)] : [];
      return run(entry, judged, { kind: "verdict", tier: verdict.tier, rules: verdict.rules }, [
        start,
        ...announce,
      ]);
    }
    case "approve":
      return ask(entry, subjectOf(entry, judged), verdict, [start]);
  }
}

/** Asks, or settles at once what nobody is asked in this mode. Throws to pause. */
async function ask(entry: Entry, subject: Subject, verdict: Verdict, before: Command[]): Promise<undefined> {
  if (verdict.mode === "never") {
    await settleUnasked(
      entry,
      subject,
      before,
      "rejected",
      "Policy asks nobody here: what needs an approval is rejected.",
    );
  } else if (verdict.mode === "fail_closed") {
    await settleUnasked(entry, subject, before, "unavailable", "This run has nobody to ask.");
  } else if (entry.parts.answer === undefined && !entry.place.has_checkpointer) {
    await settleUnasked(
      entry,
      subject,
      before,
      "unavailable",
      "The graph has no checkpointer, so it cannot wait.",
    );
  } else {
    await openQuestion(entry, subject, before);
  }
  return undefined;
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
  const needsMore = isOtherTool || exceeds(verdict, { tier: approval.tier, rules: approval.rules });
  if (!needsMore && approval.execution.state !== "blocked") {
    return run(entry, judged, { kind: "approval", approval_id }, []);
  }
  if (verdict.tier === "deny") {
    const why = verdict.reason ?? verdict.why;
    return answered(entry, [block(approval, why, null)], "denied", why);
  }
  const next = approvalId(entry.target.call_id, approval.round + 1);
  const why = `It needs more than was asked for: ${verdict.why}`;
  return ask(entry, subjectOf(entry, judged), verdict, [block(approval, why, next)]);
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

/** The call has been run, or is being run: its result stands, or a person is asked what became of it. */
async function afterExecution(
  entry: Entry,
  execution: Execution,
  judgement: Judgement,
): Promise<Passed | undefined> {
  const { executions } = entry.parts;
  switch (execution.state) {
    case "started":
      if (entry.call) entry.call = await executions.outlast(entry.call);
      return undefined;
    case "paused":
      return judgement.kind === "judged"
        ? resume(entry, judgement)
        : answered(entry, [], "failed", judgement.message);
    case "succeeded":
    case "failed":
      // Its end was recorded and its result was not, which one step writes together: this ledger did not write that.
      return answered(entry, [], "unknown", execution.error ?? "Its result was lost.");
    case "unknown":
      return onUnknown(entry, execution, judgement);
  }
}

async function onUnknown(
  entry: Entry,
  execution: Execution,
  judgement: Judgement,
): Promise<Passed | undefined> {
  const why = execution.error ?? "";
  if (judgement.kind === "invalid") return answered(entry, [], "unknown", why);
  const { verdict, shelved } = judgement;
  if (execution.is_safe && shelved.is_safe) {
    // A tool that outlasted its time would do so again.
    if (execution.owner === entry.parts.executions.owner) return answered(entry, [], "unknown", why);
    return run(entry, judgement, execution.authority, []);
  }
  if (verdict.tier === "deny") return answered(entry, [], "unknown", why);
  const description =
    `This call was started and left no result: ${why} Whether it took effect is not known. ` +
    "Approve to run it again, respond with its result if it is done, or reject to give up.";
  const { name: tool, args } = entry.effective();
  const subject: Subject = { kind: "outcome", tool, args, verdict, description, args_schema: shelved.schema };
  return ask(entry, subject, verdict, []);
}

async function run(
  entry: Entry,
  { shelved }: Judged,
  authority: Authority,
  before: Command[],
): Promise<Passed | undefined> {
  const { name: tool, args } = entry.effective();
  const claim = { tool, args, args_digest: digest(args), authority, is_safe: shelved.is_safe };
  const claimed = await entry.parts.executions.claim(entry.target, claim, before, entry.call);
  if (claimed.state === "standing") return onStanding(entry);
  entry.noticed(claimed.changed);
  return execute(entry, shelved, { tool, args }, claimed.release);
}

async function resume(entry: Entry, { shelved }: Judged): Promise<Passed | undefined> {
  if (!entry.call) return undefined;
  const claimed = await entry.parts.executions.resume(entry.call);
  if (claimed.state === "standing") return onStanding(entry);
  entry.noticed(claimed.changed);
  const { name: tool, args } = entry.effective();
  return execute(entry, shelved, { tool, args }, claimed.release);
}

/** Somebody else was first: go on from what stands now. What can never be cleared must not be tried for ever. */
async function onStanding(entry: Entry): Promise<Passed | undefined> {
  const before = entry.call?.version;
  await entry.read();
  if (entry.call?.version !== before) return undefined;
  return answered(entry, [], "denied", "Nothing stands that clears this call.");
}

function subjectOf(entry: Entry, { verdict, shelved, description }: Judged): Subject {
  const { name: tool, args } = entry.effective();
  return { kind: "call", tool, args, verdict, description, args_schema: shelved.schema };
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
