import { exact, flatJson, readable } from "../readable.ts";
import { clip } from "../wrap.ts";
import type { WireEvent, WireMessage } from "./wire-types.ts";

/** A line about an event, and the sign and colour that stand before it. */
export interface EventLine {
  sign: string;
  color: "cyan" | "green" | "yellow" | "red";
  text: string;
}

/** What an event says to a person in the chat; undefined for those that other places show. */
export function eventLine(event: WireEvent, width: number): EventLine | undefined {
  const tool = clip(exact(wordOf(event["tool"])), 30);
  const call = clip(`${tool} ${flatJson(event["args"])}`, width - 12);
  switch (event.type) {
    case "tool_call_started":
      if (event["tier"] === "auto") return { sign: "▸", color: "cyan", text: call };
      return event["tier"] === "approve"
        ? { sign: "?", color: "yellow", text: `${call} asks first` }
        : undefined;
    case "approval_requested":
      return event["announced"] === true
        ? { sign: "▸", color: "cyan", text: `${call} announced` }
        : undefined;
    case "approval_warned":
      return { sign: "?", color: "yellow", text: `${tool}: little time is left to decide it` };
    case "approval_escalated": {
      const group = clip(exact(wordOf(event["group"])), 30);
      return { sign: "?", color: "yellow", text: `${tool}: nobody answered in time, it went to ${group}` };
    }
    case "tool_result":
      return resultLine(event, tool, width);
    case "run_stopped":
      return event["status"] === "error"
        ? { sign: "✗", color: "red", text: clip(`the run failed: ${oneLine(event["error"])}`, width - 2) }
        : undefined;
    default:
      return undefined;
  }
}

/** A call of the past and how it ended. */
export function callLine(
  { name, args }: { name: string; args: unknown },
  answer: WireMessage | undefined,
  width: number,
): EventLine {
  const call = clip(`${clip(exact(name), 30)} ${flatJson(args)}`, width - 14);
  if (answer === undefined) return { sign: "?", color: "yellow", text: `${call} open` };
  const outcome = exact(answer.artifact?.outcome ?? answer.status ?? "answered");
  return answer.status === "error"
    ? { sign: "✗", color: "red", text: `${call} ${outcome}` }
    : { sign: "✓", color: "green", text: `${call} ${outcome}` };
}

function resultLine(event: WireEvent, tool: string, width: number): EventLine {
  const outcome = wordOf(event["outcome"]);
  if (event["ok"] === true) return { sign: "✓", color: "green", text: `${tool} ${exact(outcome)}` };
  // What people decided they know; an error they do not.
  const isNews = ["failed", "unknown", "denied", "invalid"].includes(outcome);
  const error = isNews ? `: ${oneLine(event["error"])}` : "";
  return { sign: "✗", color: "red", text: clip(`${tool} ${exact(outcome)}${error}`, width - 2) };
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function oneLine(value: unknown): string {
  return exact(readable(wordOf(value)).replace(/\s+/g, " "));
}
