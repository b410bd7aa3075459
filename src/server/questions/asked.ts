import type { StateSnapshot } from "@langchain/langgraph";
import { questionOf } from "../../desk/index.ts";
import { approvalId, callId, turnId, type Call, type Ledger } from "../../ledger/index.ts";
import type { Action, Question } from "./question.ts";
import { readQuestion } from "./read-question.ts";

/** A question of a graph's own as it stands in a thread's state. */
export interface Asked {
  thread_id: string;
  interrupt_id: string;
  /** LangGraph's task that asks: stable across resume and crash, new on a replay or fork. */
  task_id: string;
  node: string;
  /** The checkpoint namespace of the graph that asks; empty for the root graph. */
  path: string;
  checkpoint_id: string | null;
  question: Question;
}

/** What stands for one action of a question in the ledger. */
export interface AskedCall {
  call_id: string;
  approval_id: string;
  tool_call_id: string;
  turn_id: string;
  action: Action;
  /** How many times the question was asked, this one included. */
  time: number;
  /** `null` as long as it was not opened. */
  call: Call | null;
}

/** The questions in a state that are not our own and whose tasks still wait. */
export function askedIn(thread_id: string, { tasks, config }: StateSnapshot): Asked[] {
  const head: unknown = config.configurable?.["checkpoint_id"];
  const asked = new Map<string, Asked>();
  for (const { id: task_id, name: node, interrupts, result, state } of tasks) {
    if (result !== undefined) continue;
    const namespace: unknown =
      state && "configurable" in state ? state.configurable?.["checkpoint_ns"] : undefined;
    for (const { id: interrupt_id = "", value } of interrupts as { id?: string; value?: unknown }[]) {
      if (questionOf({ id: interrupt_id, value }).length > 0) continue;
      asked.set(interrupt_id, {
        ...{ thread_id, interrupt_id, task_id, node },
        path: typeof namespace === "string" ? namespace : "",
        checkpoint_id: typeof head === "string" ? head : null,
        question: readQuestion(value, node),
      });
    }
  }
  return [...asked.values()];
}

/**
 * The calls that stand for a question now, one for each action. A question that was withdrawn and is there again was
 * asked anew, so it stands for other calls than before.
 */
export async function callsOf(ledger: Ledger, asked: Asked): Promise<AskedCall[]> {
  for (let time = 1; ; time += 1) {
    const ids = asked.question.actions.map((action, index) => idsOf(asked, action, index, time));
    const calls = await Promise.all(
      ids.map(async (one) => ({ ...one, call: await ledger.call(one.call_id) })),
    );
    if (!calls.every(({ call }) => call?.result?.outcome === "cancelled")) return calls;
  }
}

function idsOf(
  { thread_id, task_id, path, interrupt_id, question }: Asked,
  action: Action,
  index: number,
  time: number,
): Omit<AskedCall, "call"> {
  const tool_call_id = question.actions.length === 1 ? interrupt_id : `${interrupt_id}.${index}`;
  const { tool, args } = action;
  // What was shown is in the id: a question that asks for something else under the same interrupt is another one.
  const task = time === 1 ? task_id : `${task_id}.${time}`;
  const call_id = callId({ thread_id, task_id: task, tool_call_id, tool, args });
  const turn_id = turnId(thread_id, path, interrupt_id);
  return { call_id, approval_id: approvalId(call_id, 1), tool_call_id, turn_id, action, time };
}
