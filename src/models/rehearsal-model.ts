import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage, ToolCall } from "@langchain/core/messages";
import { ENGLISH } from "./rehearsal/phrases.ts";
import type { Phrases } from "./rehearsal/phrases.ts";
import { CHINESE } from "./rehearsal/phrases-chinese.ts";
import { planOf } from "./rehearsal/plan.ts";
import type { Plan, PlannedCall } from "./rehearsal/plan.ts";
import { inWords, reportOf } from "./rehearsal/report.ts";
import type { Reply } from "./reply.ts";
import { ReplyModel } from "./reply-model.ts";

/** See {@link rehearsalModel}. */
export class RehearsalModel extends ReplyModel {
  static override lc_name(): string {
    return "RehearsalModel";
  }

  override _llmType(): string {
    return "rehearsal";
  }

  protected override reply(messages: BaseMessage[], tools: string[]): Promise<Reply> {
    return Promise.resolve(replyTo(messages, tools));
  }
}

/**
 * The model without a key. It follows plain requests in English and Chinese by rules: lists, reads, writes, moves and
 * deletes files, runs commands, queries databases, sends requests; several in one sentence become parallel calls, and
 * what is to come "then" waits. It calls only tools that are bound, reports how each call ended, never repeats a
 * rejected one, and says plainly what it is when it does not understand.
 */
export function rehearsalModel(): RehearsalModel {
  return new RehearsalModel();
}

function replyTo(messages: BaseMessage[], tools: string[]): Reply {
  const start = messages.findLastIndex((message) => HumanMessage.isInstance(message));
  const request = messages[start]?.text ?? "";
  const phrases = /\p{Script=Han}/u.test(request) ? CHINESE : ENGLISH;
  const plan = planOf(request);
  const since = messages.slice(start + 1);
  const calling = since
    .filter((message) => AIMessage.isInstance(message))
    .filter((message) => hasCalls(message));
  const last = calling.at(-1);
  if (last === undefined) return begin(plan, tools, phrases);
  const answers = since.filter((message) => ToolMessage.isInstance(message));
  const report = reportOf(last.tool_calls ?? [], answers, phrases);
  return goOn(plan.groups.slice(calling.length), tools, report, phrases);
}

function hasCalls(message: AIMessage): boolean {
  return (message.tool_calls?.length ?? 0) > 0;
}

function begin(plan: Plan, tools: string[], phrases: Phrases): Reply {
  const [group = [], ...later] = plan.groups;
  const notes = [
    ...plan.missing.map(({ text, what }) => phrases.missing(text, what)),
    ...plan.unclear.map((part) => phrases.notUnderstood(part)),
  ];
  if (group.length === 0 && plan.missing.length === 0) return say(phrases.introduction);
  const { calls, refusals } = callsOf(group, tools, phrases);
  const waiting =
    calls.length === 0 ? later.flat().map((call) => phrases.notStarted(words(call, phrases))) : [];
  const about = calls.map((call) => phrases.about(inWords(call, phrases)));
  return say([...about, ...refusals, ...waiting, ...notes].join("\n"), calls);
}

function goOn(
  groups: PlannedCall[][],
  tools: string[],
  report: { text: string; allDone: boolean },
  phrases: Phrases,
): Reply {
  const [next, ...later] = groups;
  if (next === undefined) return say(report.text);
  if (!report.allDone) {
    const left = groups.flat().map((call) => phrases.notStarted(words(call, phrases)));
    return say([report.text, ...left].join("\n\n"));
  }
  const { calls, refusals } = callsOf(next, tools, phrases);
  const about = calls.map((call) => phrases.about(inWords(call, phrases))).join(" ");
  const waiting =
    calls.length === 0 ? later.flat().map((call) => phrases.notStarted(words(call, phrases))) : [];
  const lines = [report.text, ...(about === "" ? [] : [`${phrases.then}${about}`]), ...refusals, ...waiting];
  return say(lines.join("\n\n"), calls);
}

function callsOf(
  group: readonly PlannedCall[],
  tools: string[],
  phrases: Phrases,
): { calls: ToolCall[]; refusals: string[] } {
  const bound = group.filter((call) => tools.includes(call.tool));
  const unbound = group.filter((call) => !tools.includes(call.tool));
  return {
    calls: bound.map(({ tool, args }) => ({
      type: "tool_call",
      id: `call_${randomUUID()}`,
      name: tool,
      args,
    })),
    refusals: unbound.map((call) => phrases.noTool(call.tool, words(call, phrases))),
  };
}

function words(call: PlannedCall, phrases: Phrases): string {
  return inWords({ name: call.tool, args: call.args }, phrases);
}

function say(content: string, calls: ToolCall[] = []): Reply {
  return { content, tool_calls: calls, invalid_tool_calls: [] };
}
