import {
  GraphInterrupt,
  interrupt,
  isGraphInterrupt,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { isInvalidResume } from "@langchain/langgraph";
import { answerSchema, interruptValue, type Question } from "./payload.ts";
import { forgetAnswer } from "./platform.ts";

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
 * @param position how many interrupts this task has called before.
 */
export function interruptAt(
  config: LangGraphRunnableConfig,
  position: number,
  question: Question,
  check: (answer: unknown) => string | undefined,
): Interrupted {
  const value = interruptValue(question);
  const responseSchema = answerSchema(question, check);
  try {
    return { kind: "answered", answer: interrupt(value, { responseSchema }) };
  } catch (error) {
    if (isPause(error)) return waiting(error, question);
    forgetAnswer(config, position);
    const refused = isInvalidResume(error) ? messageOf(error) : "It was not addressed to this question.";
    try {
      interrupt(value, { responseSchema });
    } catch (again) {
      if (isPause(again)) return { ...waiting(again, question), refused };
    }
    throw error;
  }
}

type Pause = GraphInterrupt & { interrupts: { id?: string; value?: unknown }[] };

function waiting(error: Pause, question: Question): Interrupted & { kind: "waiting" } {
  const [first] = error.interrupts;
  const pause = (refused?: string): GraphInterrupt =>
    new GraphInterrupt([{ ...first, value: interruptValue(question, refused) }] as never);
  return { kind: "waiting", interrupt_id: first?.id ?? null, pause };
}

function isPause(error: unknown): error is Pause {
  return error instanceof Error && isGraphInterrupt(error as GraphInterrupt);
}

function messageOf(error: unknown): string {
  const issues = (error as { issues?: { message: string }[] }).issues;
  return issues?.[0]?.message ?? (error instanceof Error ? error.message : String(error));
}
