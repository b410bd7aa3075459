import type { Missing } from "./plan.ts";

/** What the rehearsal model says, in one language. `what` is a call in words ("delete notes/old.md"). */
export interface Phrases {
  introduction: string;
  notUnderstood(part: string): string;
  missing(part: string, what: Missing): string;
  noTool(tool: string, what: string): string;
  about(what: string): string;
  then: string;
  done(what: string): string;
  responded(what: string, text: string): string;
  failed(what: string, text: string): string;
  refused(what: string, why: string): string;
  rejected(what: string, reason: string): string;
  cancelled(what: string, reason: string): string;
  expired(what: string): string;
  unavailable(what: string): string;
  unknown(what: string, text: string): string;
  unanswered(what: string): string;
  notStarted(what: string): string;
  another(tool: string): string;
  cut: string;
  /** A call in words. */
  verb(tool: string): string | undefined;
}

const because = (lead: string, reason: string) => (reason === "" ? "." : `${lead}${reason}`);

const ENGLISH_VERBS: Record<string, string> = {
  list_files: "list",
  read_file: "read",
  write_file: "write",
  move_file: "move",
  delete_file: "delete",
  run_shell: "run",
  sql_query: "query",
  http_request: "request",
};

export const ENGLISH: Phrases = {
  introduction: `I am a rehearsal model: I follow simple requests with rules, there is no AI in me. For a real model set COUNTERSIGN_MODEL (for example "openai:gpt-5" or "anthropic:claude-sonnet-4-5") and the key of its provider.

You can ask me, several things in one request too:
- list the files in notes
- delete notes/old.md and show me notes/todo.md
- write "buy milk" to notes/new.md
- move notes/new.md to notes/shopping.md
- run \`ls -la\`
- query data/shop.db: select * from orders
- fetch http://127.0.0.1:4100/ok`,
  notUnderstood: (part) => `I did not understand "${part}".`,
  missing: (part, what) => `"${part}": ${MISSING_ENGLISH[what]}`,
  noTool: (tool, what) => `I cannot ${what}: I have no tool "${tool}" here.`,
  about: (what) => `I will ${what}.`,
  then: "Next: ",
  done: (what) => `Done: ${what}.`,
  responded: (what, text) => `Not run: ${what}. A person answered in its place: ${text}`,
  failed: (what, text) => `Failed: ${what}. ${text}`,
  refused: (what, why) => `Not done: ${what}. ${why}`,
  rejected: (what, reason) =>
    `Not done: ${what}. It was rejected${because(", with the reason: ", reason)}\nNothing was changed by it, and I will not try it again.`,
  cancelled: (what, reason) => `Not done: ${what}. The question was withdrawn${because(": ", reason)}`,
  expired: (what) =>
    `Not done: ${what}. Nobody answered in time; nobody refused it either. Ask me again when somebody is there.`,
  unavailable: (what) => `Not done: ${what}. It needs an approval, and nobody is there to give it.`,
  unknown: (what, text) =>
    `It is not known whether this took effect: ${what}. Look before you go on. ${text}`,
  unanswered: (what) => `I got no answer for this: ${what}.`,
  notStarted: (what) => `Not started, because it was to come after what did not work: ${what}.`,
  another: (tool) => ANOTHER_ENGLISH[tool] ?? "Tell me what to do instead.",
  cut: "[… shortened]",
  verb: (tool) => ENGLISH_VERBS[tool],
};

const MISSING_ENGLISH: Record<Missing, string> = {
  path: "which file? Name it, for example notes/todo.md.",
  content: 'what should be in it? For example: write "buy milk" to notes/new.md.',
  target: "where to? For example: move notes/old.md to archive/old.md.",
  command: "which command? For example: run `ls -la`.",
  database: "in which database? For example: query data/shop.db: select * from orders.",
  statement: "which SQL statement? For example: query data/shop.db: select * from orders.",
};

const ANOTHER_ENGLISH: Record<string, string> = {
  delete_file: "I could move it to another folder instead, or show it to you first. What would you like?",
  write_file: "I could write it under another name, or with another content. What would you like?",
  move_file: "I could move it to another place. Where to?",
  run_shell: "Tell me another command, or what you want to find out, and I will try a way that only reads.",
  sql_query: "I could show the rows it would touch with a SELECT first. What would you like?",
  http_request: "I could fetch the address with GET first. What would you like?",
};
