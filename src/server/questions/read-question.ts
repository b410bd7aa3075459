import { isDeeperThan, MAX_ARGS_DEPTH } from "../../ledger/index.ts";
import { toPlain } from "../to-json.ts";
import { hitlQuestion } from "./hitl-question.ts";
import { inboxQuestion } from "./inbox-question.ts";
import { plainQuestion } from "./plain-question.ts";
import type { Question } from "./question.ts";

/**
 * Reads what a graph asks: LangChain's request, that of the older inboxes (also as a list, or as a JSON text), or any
 * value. What looks like a known form and is not whole is a plain question, so that it can be answered all the same.
 *
 * @param node the node that asks.
 */
export function readQuestion(given: unknown, node: string): Question {
  const value = toPlain(given);
  const form = typeof value === "string" ? parsed(value) : value;
  // Arguments that are nested too deep cannot be told from others by anybody who looks at them.
  const known = isDeeperThan(form, MAX_ARGS_DEPTH + 4)
    ? undefined
    : (hitlQuestion(form) ?? inboxQuestion(form));
  return known ?? plainQuestion(value, node);
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
