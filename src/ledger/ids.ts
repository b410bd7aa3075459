import { canonicalJson, sha256 } from "./canonical.ts";

/** What makes one occurrence of a call the one it is. */
export interface CallOccurrence {
  thread_id: string;
  /** LangGraph's id of the task that runs the call: stable across resume and crash, new on a replay or fork. */
  task_id: string;
  tool_call_id: string;
  tool: string;
  args: Record<string, unknown>;
}

/**
 * The id of one call occurrence. It follows from the occurrence alone, so that entering again finds the same one and
 * a call smuggled in under the same task is another one.
 */
export function callId(occurrence: CallOccurrence): string {
  const { thread_id, task_id, tool_call_id, tool, args } = occurrence;
  return derive("call", [thread_id, task_id, tool_call_id, tool, args]);
}

/** The id of the approval that asks about a call for the `round`th time, counted from 1. */
export function approvalId(call_id: string, round: number): string {
  return derive("apr", [call_id, round]);
}

/** The id of a turn: the calls of one AI message, in one graph of one thread. */
export function turnId(thread_id: string, path: string, message_id: string): string {
  return derive("trn", [thread_id, path, message_id]);
}

/** The id of what is remembered with the decision of an approval. */
export function grantId(approval_id: string): string {
  return derive("gra", [approval_id]);
}

function derive(prefix: string, parts: unknown[]): string {
  return `${prefix}_${sha256(canonicalJson(parts)).slice(0, 32)}`;
}
