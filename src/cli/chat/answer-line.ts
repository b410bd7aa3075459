import type { Approval, Decision } from "../../ledger/index.ts";
import { parseObject } from "../json-argument.ts";
import type { Reply } from "./input.ts";

/**
 * What a line answers to a question, or what is wrong with the line. Where several calls were shown together, `approve
 * all`, `reject all` and `reject all because …` are for each of them.
 */
export function readAnswer(
  line: string,
  { allowed_decisions }: Approval,
  together = 1,
): Reply | { fault: string } {
  const all = together > 1 ? readAll(line) : undefined;
  if (all !== undefined) return { kind: "decide_all", decision: all };
  const [, word = "", rest = ""] = /^\s*(\S+)\s*(.*?)\s*$/s.exec(line) ?? [];
  const reason = rest === "" ? {} : { reason: rest };
  switch (word.toLowerCase()) {
    case "approve":
      return { kind: "decide", decision: { type: "approve", ...reason } };
    case "reject": {
      const message = rest.replace(/^because\s+/i, "");
      return { kind: "decide", decision: { type: "reject", ...(message === "" ? {} : { message }) } };
    }
    case "respond":
      if (rest === "") return { fault: "respond needs the answer behind it, such as: respond It is done." };
      return { kind: "decide", decision: { type: "respond", message: rest } };
    case "edit": {
      const args = parseObject(rest);
      if (typeof args !== "string") return { kind: "decide", decision: { type: "edit", args } };
      return { fault: `What stands behind edit ${args}.` };
    }
    case "later":
      return { kind: "later" };
    case "show":
      return { kind: "show" };
    case "/quit":
    case "/exit":
      return { kind: "leave" };
    default:
      return {
        fault: `A question is open: answer it with ${answers(allowed_decisions, together)}, or /quit.`,
      };
  }
}

function readAll(line: string): Decision | undefined {
  const [, word = "", why = ""] = /^\s*(approve|reject)\s+all(?:\s+because\s+(.*?))?\s*$/is.exec(line) ?? [];
  if (word === "") return undefined;
  if (word.toLowerCase() === "approve") return { type: "approve", ...(why === "" ? {} : { reason: why }) };
  return { type: "reject", ...(why === "" ? {} : { message: why }) };
}

function answers(allowed: Approval["allowed_decisions"], together: number): string {
  const forms = { approve: "approve", edit: "edit {…}", reject: "reject WHY", respond: "respond TEXT" };
  const all = together > 1 ? ["approve all", "reject all"] : [];
  return [...allowed.map((type) => forms[type]), ...all, "later"].join(", ");
}
