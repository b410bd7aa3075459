import { QUOTE } from "./quotes.ts";
import { PATH, actionOf, withoutCourtesy } from "./words.ts";
import type { Action } from "./words.ts";

/** One thing that a request asks for. */
export interface Clause {
  action: Action | undefined;
  text: string;
  /** It was said to come after what stands before it ("then"). */
  later: boolean;
}

const SEPARATOR =
  /(\s*[;；\n]+\s*|\s*[,，]\s*(?:and\s+)?(?:then\s+)?(?:also\s+)?|\s+and\s+(?:then\s+)?(?:also\s+)?|[,，]?\s+then\s+|[.。!！]\s+(?:then\s+|(?=\p{Lu}))|。|、|并且|并|然后|接着|同时|以及|和|再)/iu;
const LATER = /then|然后|接着|再/iu;
const SHELL_WORD = /^(?:rm|mv|cat|ls|dir|curl|head|make|open)\b/iu;
const BARE_PATH = new RegExp(`^(?:the\\s+)?(?:file\\s+|folder\\s+)?${PATH}$`, "iu");
const SHARED_VERB = new RegExp(`^(?:${QUOTE}|\\S+)$`, "u");

/** Splits a request, its quotes taken out, into clauses. A part that starts nothing new belongs to the one before. */
export function clausesOf(text: string): Clause[] {
  const pieces = text.trim().split(SEPARATOR);
  const clauses: Clause[] = [];
  for (let at = 0; at < pieces.length; at += 2) {
    const part = (pieces[at] ?? "").trim();
    const separator = at === 0 ? "" : (pieces[at - 1] ?? "");
    const previous = clauses.at(-1);
    if (part === "" && previous === undefined) continue;
    const next = startsClause(part, separator, previous);
    if (next !== undefined) clauses.push(next);
    else if (previous !== undefined) previous.text += `${separator}${pieces[at] ?? ""}`;
  }
  return clauses.map((clause) => ({
    ...clause,
    text: withoutCourtesy(clause.text).replace(/[\s.!?,;。！？，；]+$/u, ""),
  }));
}

function startsClause(part: string, separator: string, previous: Clause | undefined): Clause | undefined {
  const later = LATER.test(separator);
  const action = actionOf(part);
  if (previous === undefined) return { action, text: part, later: false };
  if (previous.action === "run" && (/[;；\n]/u.test(separator) || SHELL_WORD.test(part))) return undefined;
  if (previous.action === "sql" && action === "sql" && /[;；]/u.test(separator)) return undefined;
  if (action !== undefined) return { action, text: part, later };
  const shares = previous.action === "delete" || previous.action === "read";
  if (shares && SHARED_VERB.test(part) && BARE_PATH.test(part)) {
    return { action: previous.action, text: part, later };
  }
  return undefined;
}
