import type { Approval } from "../../ledger/index.ts";
import { parseObject } from "../json-argument.ts";
import type { Reply } from "./input.ts";

/** What a line answers to a question, or what is wrong with the line. */
export function readAnswer(line: string, { allowed_decisions }: Approval): Reply | { fault: string } {
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
      return { fault: `A question is open: answer it with ${answers(allowed_decisions)}, or /quit.` };
  }
}

function answers(allowed: Approval["allowed_decisions"]): string {
  const forms = { approve: "approve", edit: "edit {…}", reject: "reject WHY", respond: "respond TEXT" };
  return [...allowed.map((type) => forms[type]), "later"].join(", ");
}
