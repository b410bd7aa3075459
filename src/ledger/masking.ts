import { maskArgs, maskedPaths, Secrets, secretsIn } from "../policy/index.ts";
import type { Approval } from "./approval.ts";
import type { Call } from "./call.ts";
import type { RecordedDecision } from "./decision.ts";
import type { RecordedEvent } from "./event.ts";

/** What of a call people do not see. */
export interface Hidden {
  masks: readonly string[];
  /** What the masks hide, wherever else it stands. */
  secrets: Secrets;
  /** Whether the policy masks more than it did when the call was begun. */
  isGrown: boolean;
}

/** What the masks of a call hide, and `more` masks, such as its policy has got since. `null`: nothing. */
export function hiddenOf(call: Call, more: readonly string[] = []): Hidden | null {
  const masks = together(call.mask, more);
  if (masks.length === 0) return null;
  const all = [call.args, ...call.approvals.flatMap(({ args, decision }) => [args, decision?.args])];
  const secrets = new Secrets(all.flatMap((args) => secretsIn(masks, args)));
  return { masks, secrets, isGrown: masks.length > call.mask.length };
}

/** An approval as people may see it; its `mask` names the paths that are hidden in it. */
export function maskApproval(approval: Approval, more: readonly string[] = []): Approval {
  const masks = together(approval.mask, more);
  if (masks.length === 0) return approval;
  const { args, decision, votes, execution, description, kind } = approval;
  const secrets = new Secrets([args, decision?.args].flatMap((one) => secretsIn(masks, one)));
  const isGrown = masks.length > approval.mask.length;
  return {
    ...approval,
    args: maskArgs(masks, args),
    mask: maskedPaths(masks, args),
    description: wordsOf({ description, kind }, { secrets, isGrown }),
    decision: decision === null ? null : maskDecision(decision, { masks, secrets, isGrown }),
    votes: votes.map((vote) => maskDecision(vote, { masks, secrets, isGrown })),
    execution:
      execution.error === undefined ? execution : { ...execution, error: secrets.hide(execution.error) },
  };
}

/**
 * The words about a call are made of what is shown of it. To look for secrets in them would let a call, by what it puts
 * under a mask, blank what people read; so that is done only where they were made before there was the mask.
 */
function wordsOf(
  { description, kind }: Pick<Approval, "description" | "kind">,
  { secrets, isGrown }: Pick<Hidden, "secrets" | "isGrown">,
): string | null {
  return description === null || (kind === "call" && !isGrown) ? description : secrets.hide(description);
}

function maskDecision(decision: RecordedDecision, { masks, secrets }: Hidden): RecordedDecision {
  const { args, message, reason, value } = decision;
  return {
    ...decision,
    ...(args !== undefined && { args: maskArgs(masks, args) }),
    ...(message !== undefined && { message: secrets.hide(message) }),
    ...(reason !== undefined && { reason: secrets.hide(reason) }),
    ...(typeof value === "string" && { value: secrets.hide(value) }),
  };
}

/** An event of a call as people may see it. `null` hides nothing. */
export function maskEvent<Event extends RecordedEvent>(event: Event, hidden: Hidden | null): Event {
  if (hidden === null || event.data === null) return event;
  return { ...event, data: dataOf(event, hidden) };
}

function dataOf(event: RecordedEvent, hidden: Hidden): RecordedEvent["data"] {
  const { masks, secrets } = hidden;
  if (event.data === null) return null;
  switch (event.type) {
    case "tool_call_started": {
      const { args, why, mask_added: _added, ...data } = event.data;
      const mask = maskedPaths(masks, args);
      return { ...data, args: maskArgs(masks, args), why: secrets.hide(why), mask };
    }
    case "approval_requested": {
      const { args } = event.data;
      return { ...event.data, args: maskArgs(masks, args), description: wordsOf(event.data, hidden) };
    }
    case "approval_resolved":
    case "vote_cast":
      return { ...event.data, decision: maskDecision(event.data.decision, hidden) };
    case "reviewer_answered": {
      const { reason, error } = event.data;
      return {
        ...event.data,
        ...(reason !== undefined && { reason: secrets.hide(reason) }),
        ...(error !== undefined && { error: secrets.hide(error) }),
      };
    }
    case "execution_started":
      return { ...event.data, args: maskArgs(masks, event.data.args) };
    case "execution_finished": {
      const { error } = event.data;
      return { ...event.data, error: error === null ? null : secrets.hide(error) };
    }
    case "execution_blocked":
      return { ...event.data, error: secrets.hide(event.data.error) };
    case "tool_result": {
      const { result, error } = event.data;
      return {
        ...event.data,
        ...(result !== undefined && { result: secrets.hide(result) }),
        ...(error !== undefined && { error: secrets.hide(error) }),
      };
    }
    default:
      return event.data;
  }
}

function together(masks: readonly string[], more: readonly string[]): string[] {
  return more.length === 0 ? [...masks] : [...new Set([...masks, ...more])];
}
