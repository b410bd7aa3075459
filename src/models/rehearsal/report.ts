import type { ToolCall, ToolMessage } from "@langchain/core/messages";
import { endOf } from "./outcome.ts";
import type { CallEnd } from "./outcome.ts";
import type { Phrases } from "./phrases.ts";

const MAX_SHOWN = 2000;
const SHOWS_RESULT = new Set(["list_files", "read_file", "run_shell", "sql_query", "http_request"]);

export interface Report {
  text: string;
  /** Every call did what it was to do, so that what was to come after it may follow. */
  allDone: boolean;
}

/** Says in plain words how the calls of a message ended. */
export function reportOf(
  calls: readonly ToolCall[],
  answers: readonly ToolMessage[],
  phrases: Phrases,
): Report {
  const parts: string[] = [];
  let allDone = true;
  for (const call of calls) {
    const answer = answers.find((message) => message.tool_call_id === call.id);
    const end = answer === undefined ? undefined : endOf(answer);
    if (end?.kind !== "done") allDone = false;
    const ran = answer === undefined ? call : ranAs(call, answer);
    parts.push(end === undefined ? phrases.unanswered(inWords(call, phrases)) : sentence(ran, end, phrases));
  }
  return { text: parts.join("\n\n"), allDone };
}

/** The call as it ran: a reviewer may have changed it, which its answer says. */
function ranAs(call: ToolCall, answer: ToolMessage): ToolCall {
  const [, name, args] = /\bIt ran as (\S+) (\{.*\}), not as you wrote it\.\)$/su.exec(answer.text) ?? [];
  if (name === undefined || args === undefined) return call;
  try {
    return { ...call, name, args: JSON.parse(args) as Record<string, unknown> };
  } catch {
    return call;
  }
}

/** A call in a few words: "delete notes/old.md". */
export function inWords(call: { name: string; args: Record<string, unknown> }, phrases: Phrases): string {
  const verb = phrases.verb(call.name);
  if (verb === undefined) return `${call.name} ${shorten(JSON.stringify(call.args), 200, phrases)}`;
  return `${verb} ${shorten(objectOf(call.name, call.args), 300, phrases)}`;
}

function objectOf(tool: string, args: Record<string, unknown>): string {
  const word = (key: string) => (typeof args[key] === "string" ? args[key] : "");
  switch (tool) {
    case "move_file":
      return `${word("from")} → ${word("to")}`;
    case "run_shell":
      return `\`${word("command")}\``;
    case "sql_query":
      return `${word("database")}: ${word("sql")}`;
    case "http_request":
      return `${word("method")} ${word("url")}`;
    default:
      return word("path");
  }
}

function sentence(call: ToolCall, end: CallEnd, phrases: Phrases): string {
  const what = inWords(call, phrases);
  switch (end.kind) {
    case "done": {
      const shows = SHOWS_RESULT.has(call.name) || phrases.verb(call.name) === undefined;
      return shows
        ? `${what}:\n${shorten(end.text, MAX_SHOWN, phrases)}`
        : doneAs(call, end.text, what, phrases);
    }
    case "rejected":
      return `${phrases.rejected(what, end.reason)} ${phrases.another(call.name)}`;
    case "refused":
    case "failed":
    case "responded":
    case "unknown":
      return phrases[end.kind](what, shorten(end.text, MAX_SHOWN, phrases));
    case "cancelled":
      return phrases.cancelled(what, end.reason);
    case "expired":
    case "unavailable":
      return phrases[end.kind](what);
    default:
      return end satisfies never;
  }
}

// A reviewer may have changed the arguments. The result names what was really done, so it is shown when it differs.
function doneAs(call: ToolCall, text: string, what: string, phrases: Phrases): string {
  const asked = Object.entries(call.args).filter(([key]) => key !== "content");
  const same = asked.every(([, value]) => text.includes(String(value)));
  return same ? phrases.done(what) : `${phrases.done(what)} ${shorten(text, MAX_SHOWN, phrases)}`;
}

function shorten(text: string, limit: number, phrases: Phrases): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}\n${phrases.cut}`;
}
