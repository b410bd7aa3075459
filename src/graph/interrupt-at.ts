import {
  GraphInterrupt,
  interrupt,
  isGraphInterrupt,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { isInvalidResume } from "@langchain/langgraph";
import { z } from "zod";
import { answerSchema, interruptValue, type Question } from "./payload.ts";
import { addressedAnswers, forgetAnswer, seekPosition } from "./platform.ts";

/** What calling `interrupt()` came to. */
export type Interrupted =
  | { kind: "answered"; answer: unknown }
  /** No answer, or one that was refused. `pause` is what to throw so that the graph waits. */
  | {
      kind: "waiting";
      interrupt_id: string | null;
      pause: (refused?: string) => GraphInterrupt;
      refused?: string;
    };

/**
 * Calls `interrupt()` for a question and never throws. An answer that `check` refuses is dropped, and the question
 * keeps its id, so that it can be answered again.
 *
 * @param position how many questions of this task come before.
 * @param known the id under which the question was opened, if it was.
 */
export function interruptAt(
  config: LangGraphRunnableConfig,
  position: number,
  question: Question,
  check: Check,
  known?: string | null,
): Interrupted {
  const value = interruptValue(question);
  seekPosition(config, position);
  try {
    return { kind: "answered", answer: interruptChecked(value, check) };
  } catch (error) {
    if (isPause(error)) return addressed(config, known, check, waiting(error, question));
    forgetAnswer(config, position);
    seekPosition(config, position);
    const refused = isInvalidResume(error) ? messageOf(error) : "It was not addressed to this question.";
    try {
      interruptChecked(value, check);
    } catch (again) {
      if (isPause(again)) return { ...waiting(again, question), refused };
    }
    throw error;
  }
}

/** What is wrong with an answer, or nothing. */
type Check = (answer: unknown) => string | undefined;

// One schema for all questions, since making one takes longer than asking. `interrupt()` checks before it returns.
let checking: Check = () => undefined;
const CHECKED = z.unknown().superRefine((answer, context) => {
  const fault = checking(answer);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

function interruptChecked(value: unknown, check: Check): unknown {
  checking = check;
  return interrupt(value, { responseSchema: CHECKED });
}

/** LangGraph finds an addressed answer only where it kept an answer to each question before; this finds it always. */
function addressed(
  config: LangGraphRunnableConfig,
  interrupt_id: string | null | undefined,
  check: Check,
  unanswered: Interrupted & { kind: "waiting" },
): Interrupted {
  const answers = addressedAnswers(config);
  if (typeof interrupt_id !== "string" || !Object.hasOwn(answers, interrupt_id)) return unanswered;
  const answer = answers[interrupt_id];
  const refused = check(answer);
  return refused === undefined ? { kind: "answered", answer } : { ...unanswered, refused };
}

type Pause = GraphInterrupt & { interrupts: { id?: string; value?: unknown; response_schema?: unknown }[] };

function waiting(error: Pause, question: Question): Interrupted & { kind: "waiting" } {
  const [first] = error.interrupts;
  const asked = { ...first, response_schema: answerSchema(question) };
  // Thrown again as it is where it can be: making an error costs its stack.
  error.interrupts = [asked];
  const pause = (refused?: string): GraphInterrupt =>
    refused === undefined
      ? error
      : new GraphInterrupt([{ ...asked, value: interruptValue(question, refused) }] as never);
  return { kind: "waiting", interrupt_id: first?.id ?? null, pause };
}

function isPause(error: unknown): error is Pause {
  return error instanceof Error && isGraphInterrupt(error);
}

function messageOf(error: unknown): string {
  const issues = (error as { issues?: { message: string }[] }).issues;
  return issues?.[0]?.message ?? (error instanceof Error ? error.message : String(error));
}
