import { z } from "zod";
import { Args, type Approval, type DecisionType } from "../../ledger/index.ts";
import { listIn, oneForEach, WITHDRAWN, type Action, type Question } from "./question.ts";

const ActionRequest = z.looseObject({
  name: z.string().min(1),
  args: Args.optional(),
  arguments: Args.optional(),
  description: z.string().nullish(),
});
const ReviewConfig = z.looseObject({
  actionName: z.string().optional(),
  action_name: z.string().optional(),
  allowedDecisions: z.array(z.string()).optional(),
  allowed_decisions: z.array(z.string()).optional(),
  argsSchema: z.record(z.string(), z.unknown()).nullish(),
  args_schema: z.record(z.string(), z.unknown()).nullish(),
});
const Request = z.looseObject({
  actionRequests: z.array(ActionRequest).min(1).optional(),
  action_requests: z.array(ActionRequest).min(1).optional(),
  reviewConfigs: z.array(ReviewConfig).optional(),
  review_configs: z.array(ReviewConfig).optional(),
});

const DECISIONS: readonly DecisionType[] = ["approve", "edit", "reject", "respond"];
/** What LangChain's middleware allows where nothing is said. */
const USUAL: DecisionType[] = ["approve", "edit", "reject"];

/** The question of LangChain's human-in-the-loop middleware, as it is spelt in JavaScript or in Python. */
export function hitlQuestion(value: unknown): Question | undefined {
  const read = Request.safeParse(value);
  if (!read.success) return undefined;
  const { actionRequests, action_requests, reviewConfigs, review_configs } = read.data;
  const requests = actionRequests ?? action_requests;
  if (requests === undefined) return undefined;
  const configs = reviewConfigs ?? review_configs ?? [];
  const actions = requests.map((request, index) => actionOf(request, configOf(request.name, index, configs)));
  const editKeys = [
    ...(actionRequests ? ["editedAction"] : []),
    ...(action_requests ? ["edited_action"] : []),
  ];
  return {
    actions,
    decisionsIn: (answer) => oneForEach(listIn(answer), actions),
    takesNo: actions.every(({ allowed_decisions }) => allowed_decisions.includes("reject")),
    answerFrom: (settled) => ({ decisions: settled.map((approval) => decisionOf(approval, editKeys)) }),
  };
}

type Config = z.infer<typeof ReviewConfig>;

/** Each action has its own in the same place; one that is somewhere else is found by its name. */
function configOf(name: string, index: number, configs: readonly Config[]): Config | undefined {
  const isOf = (one: Config | undefined): boolean => (one?.actionName ?? one?.action_name ?? name) === name;
  const own = configs[index];
  return own && isOf(own) ? own : configs.find(isOf);
}

function actionOf(request: z.infer<typeof ActionRequest>, config: Config | undefined): Action {
  const named = config?.allowedDecisions ?? config?.allowed_decisions ?? [];
  const allowed = DECISIONS.filter((type) => named.includes(type));
  return {
    tool: request.name,
    args: request.args ?? request.arguments ?? {},
    description: request.description ?? null,
    allowed_decisions: allowed.length > 0 ? allowed : USUAL,
    args_schema: config?.argsSchema ?? config?.args_schema ?? null,
  };
}

function decisionOf({ status, decision, tool, args }: Approval, editKeys: readonly string[]): object {
  const message = decision?.message;
  switch (status) {
    case "approved":
      return { type: "approve" };
    case "edited": {
      const action = { name: decision?.tool ?? tool, args: decision?.args ?? args };
      return { type: "edit", ...Object.fromEntries(editKeys.map((key) => [key, action])) };
    }
    case "responded":
      return { type: "respond", message: message ?? "" };
    case "rejected":
      return { type: "reject", ...(message !== undefined && { message }) };
    case "pending":
    case "expired":
    case "cancelled":
    case "unavailable":
      return { type: "reject", message: WITHDRAWN };
  }
}
