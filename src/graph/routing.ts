import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Send } from "@langchain/langgraph";
import type { PolicyOverlay } from "../policy/index.ts";
import type { TaskInput } from "./entry.ts";
import { unanswered } from "./history.ts";
import type { Judge } from "./judge.ts";

/** One call as it travels to the tools node, and which calls come after it when questions are asked one by one. */
export interface SentCall extends TaskInput {
  /** Calls that are sent on when this one is done. `null`: another call of the turn leads on. */
  rest: TaskInput["call"][] | null;
}

/**
 * Where the graph goes from the agent: each open call of the last message in a task of its own; back to the agent when
 * all it called was garbled; or to `end`.
 */
export function fromAgent<Agent extends string, End extends string>(
  messages: readonly BaseMessage[],
  overlays: PolicyOverlay[],
  judge: Judge,
  names: { agent: Agent; tools: string; end: End },
): Send[] | Agent | End {
  const open = unanswered(messages);
  if (open === undefined) return ToolMessage.isInstance(messages.at(-1)) ? names.agent : names.end;
  const message_id = open.message.id ?? "";
  const send = (call: TaskInput["call"], rest: SentCall["rest"]): Send =>
    new Send(names.tools, { call, message_id, overlays, rest } satisfies SentCall);

  const judged = open.calls.map((call) => ({ call, judgement: judge.judge(call, overlays) }));
  const asking = judged.filter(
    ({ judgement }) => judgement.kind === "judged" && judgement.verdict.tier === "approve",
  );
  const isOneByOne = judged.some(
    ({ judgement }) => judgement.kind === "judged" && judgement.verdict.review.ask === "one-by-one",
  );
  const [first, ...rest] = asking.map(({ call }) => call);
  if (!isOneByOne || first === undefined || rest.length === 0)
    return open.calls.map((call) => send(call, []));
  const waiting = new Set(rest);
  return open.calls
    .filter((call) => !waiting.has(call))
    .map((call) => send(call, call === first ? rest : null));
}

/** Where the graph goes from a task of the tools node: to the next call of its turn, or back to the agent. */
export function fromTools<Agent extends string>(
  sent: SentCall,
  names: { tools: string; agent: Agent },
): Send[] | Agent {
  if (sent.rest === null) return [];
  const [next, ...rest] = sent.rest;
  if (next === undefined) return names.agent;
  return [new Send(names.tools, { ...sent, call: next, rest } satisfies SentCall)];
}
