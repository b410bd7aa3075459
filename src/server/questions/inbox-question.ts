import { z } from "zod";
import { Args, type Approval, type DecisionType } from "../../ledger/index.ts";
import { isObject, listIn, oneForEach, type Action, type Question } from "./question.ts";

const Request = z.looseObject({
  action_request: z.looseObject({ action: z.string().min(1), args: Args.nullish() }),
  config: z
    .looseObject({
      allow_accept: z.boolean().nullish(),
      allow_edit: z.boolean().nullish(),
      allow_respond: z.boolean().nullish(),
      allow_ignore: z.boolean().nullish(),
    })
    .nullish(),
  description: z.string().nullish(),
});

/** The question of the older inboxes: one request, or a list of them. */
export function inboxQuestion(value: unknown): Question | undefined {
  const read = z
    .array(Request)
    .min(1)
    .safeParse(Array.isArray(value) ? value : [value]);
  if (!read.success) return undefined;
  const actions = read.data.map(actionOf);
  return {
    actions,
    decisionsIn: (answer) =>
      oneForEach(listIn(answer), actions).map((one, index) => decisionIn(one, actions[index])),
    takesNo: actions.every(({ allowed_decisions }) => allowed_decisions.includes("reject")),
    answerFrom: (settled) => settled.map(responseOf),
  };
}

function actionOf({ action_request, config, description }: z.infer<typeof Request>): Action {
  const allowed: DecisionType[] = [
    ...(config?.allow_accept ? (["approve"] as const) : []),
    ...(config?.allow_edit ? (["edit"] as const) : []),
    ...(config?.allow_ignore ? (["reject"] as const) : []),
    ...(config?.allow_respond ? (["respond"] as const) : []),
  ];
  return {
    tool: action_request.action,
    args: action_request.args ?? {},
    description: description ?? null,
    // A request that allows nothing could never be answered, so a word to it is taken all the same.
    allowed_decisions: allowed.length > 0 ? allowed : ["respond"],
    args_schema: null,
  };
}

/** A `response` is this form's own word for a text, and no rejection as elsewhere. */
function decisionIn(one: unknown, action: Action | undefined): unknown {
  if (!isObject(one) || one["type"] !== "response" || !action?.allowed_decisions.includes("respond"))
    return one;
  const { args } = one;
  return typeof args === "string" ? { type: "respond", message: args } : { type: "respond", value: args };
}

function responseOf({ status, decision, tool, args }: Approval): object {
  switch (status) {
    case "approved":
      return { type: "accept", args: null };
    case "edited":
      return { type: "edit", args: { action: decision?.tool ?? tool, args: decision?.args ?? args } };
    case "responded":
      return { type: "response", args: decision && "value" in decision ? decision.value : decision?.message };
    case "pending":
    case "rejected":
    case "expired":
    case "cancelled":
    case "unavailable":
      return { type: "ignore", args: null };
  }
}
