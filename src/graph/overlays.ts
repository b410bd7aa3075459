import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { combineOverlays, parseOverlay, type PolicyOverlay } from "../policy/index.ts";

/** The part of a run's context that policies read. All of it is optional, since a resume brings no context. */
export interface ApprovalContext {
  /** A partial policy that tightens the graph's own. */
  policy?: unknown;
  /** Short for `policy.mode`. */
  mode?: unknown;
}

/**
 * The overlays in a context.
 *
 * @throws {PolicyError} when the context holds a policy that cannot be read: nothing runs under half a policy.
 */
export function overlaysOf(context: unknown): PolicyOverlay[] {
  if (typeof context !== "object" || context === null) return [];
  const { policy, mode } = context as ApprovalContext;
  const overlays: PolicyOverlay[] = [];
  if (policy !== undefined) overlays.push(parseOverlay(policy));
  if (mode !== undefined) overlays.push(parseOverlay({ mode }));
  return overlays;
}

/**
 * The overlays of a turn: those the run began with, and what its later contexts add. A new message of the user begins
 * anew, with what comes along.
 */
export function nextOverlays(
  kept: readonly PolicyOverlay[],
  context: unknown,
  messages: readonly BaseMessage[],
): PolicyOverlay[] {
  const last = messages.at(-1);
  const isNewRun = last !== undefined && HumanMessage.isInstance(last);
  const all = [...(isNewRun ? [] : kept), ...overlaysOf(context)];
  return all.length > 1 ? [combineOverlays(...all)] : all;
}
