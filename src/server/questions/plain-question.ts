import { isDeeperThan, MAX_ARGS_DEPTH } from "../../ledger/index.ts";
import type { Question } from "./question.ts";

/** A question that is any JSON value. Its answer is any JSON value as well: the graph alone knows what it means. */
export function plainQuestion(value: unknown, node: string): Question {
  const isDeep = isDeeperThan(value, MAX_ARGS_DEPTH);
  return {
    actions: [
      {
        tool: node,
        args: { value: isDeep ? `(nested deeper than ${MAX_ARGS_DEPTH} levels)` : value },
        description: typeof value === "string" ? value : null,
        allowed_decisions: ["respond"],
        args_schema: null,
      },
    ],
    decisionsIn: (answer) => [{ type: "respond", value: answer }],
    takesNo: false,
    answerFrom: ([approval]) => {
      const decision = approval?.decision ?? {};
      return "value" in decision ? decision.value : "message" in decision ? decision.message : null;
    },
  };
}
