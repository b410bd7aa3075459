import type { Approval } from "../ledger/index.ts";
import { maskArgs, maskedPaths, visibleAgain } from "../policy/index.ts";

/** The version of the interrupt's value. */
const SCHEMA_VERSION = 1;

/** The question of a pending approval as far as it is known before it is opened. */
export type Question = Pick<
  Approval,
  | "approval_id"
  | "kind"
  | "tool_call_id"
  | "turn_id"
  | "tool"
  | "args"
  | "args_digest"
  | "tier"
  | "rules"
  | "reason"
  | "description"
  | "allowed_decisions"
  | "args_schema"
  | "expires_at"
> & {
  /** The masks that hide arguments of the call. */
  mask?: string[];
  quorum?: number | undefined;
  by?: string[][] | undefined;
};

/**
 * The value of an interrupt: LangChain's request for human in the loop with one action in it, in all the spellings
 * that known interfaces read, and `approval` with ours.
 *
 * @param refused what was wrong with the answer that was just given, if there was one.
 */
export function interruptValue(question: Question, refused?: string): Record<string, unknown> {
  const { tool, mask = [], args_schema, allowed_decisions } = question;
  const args = maskArgs(mask, question.args);
  const description = describe(question, refused);
  const action = { name: tool, args, arguments: args, description };
  const review = {
    actionName: tool,
    action_name: tool,
    allowedDecisions: allowed_decisions,
    allowed_decisions,
    ...(args_schema && { argsSchema: args_schema, args_schema }),
  };
  return {
    type: "approval_request",
    schema_version: SCHEMA_VERSION,
    actionRequests: [action],
    action_requests: [action],
    reviewConfigs: [review],
    review_configs: [review],
    action_request: { action: tool, args },
    config: {
      allow_accept: allowed_decisions.includes("approve"),
      allow_edit: allowed_decisions.includes("edit"),
      // The older inboxes' "response" is a rejection with its message here, unless only an answer is wanted.
      allow_respond: allowed_decisions.includes("reject") || allowed_decisions.includes("respond"),
      allow_ignore: allowed_decisions.includes("reject"),
    },
    description,
    approval: { ...ours(question), ...(refused !== undefined && { refused }) },
  };
}

function ours(question: Question): Record<string, unknown> {
  const { approval_id, kind, tool_call_id, turn_id, tier, rules, reason, args_digest, expires_at } = question;
  const { quorum = 1, by = [] } = question;
  const hidden = maskedPaths(question.mask ?? [], question.args);
  return {
    ...{ approval_id, kind, tool_call_id, turn_id, tier, rules, reason, args_digest, expires_at },
    ...(hidden.length > 0 && { mask: hidden }),
    ...(quorum > 1 && { quorum }),
    ...(by.length > 0 && { by }),
  };
}

function describe({ description, reason }: Question, refused: string | undefined): string {
  const parts = [
    refused === undefined ? "" : `The last answer was not taken: ${refused}`,
    description ?? "",
    reason,
  ];
  return visibleAgain(parts.filter((part) => part !== "").join("\n\n"));
}

/**
 * The JSON Schema of an answer, which interfaces draw a form from. What is really accepted is decided where the answer
 * arrives.
 */
export function answerSchema({ allowed_decisions, args_schema }: Question): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    title: "Decision",
    required: ["type"],
    properties: {
      type: { type: "string", enum: allowed_decisions },
      args: args_schema ?? { type: "object", description: "The edited arguments, with edit." },
      message: { type: "string", description: "Why not, with reject; the answer, with respond." },
      reason: { type: "string", description: "Why, for the ledger." },
    },
  };
}
