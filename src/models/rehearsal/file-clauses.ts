import type { Reading } from "./plan.ts";
import { restore } from "./quotes.ts";
import type { Quote } from "./quotes.ts";
import { PATH } from "./words.ts";
import type { Action } from "./words.ts";

type FileAction = Extract<Action, "list" | "read" | "write" | "move" | "delete">;

const NO_PATH =
  /^(?:everything|all|it|that|this|them|these|those|files|stuff|things|所有|全部|一切|它|它们)$/iu;
const FILLER =
  /^(?:me|us|the|a|an|all|of|new|my|your|our|file|files|folder|folders|directory|contents?|in|inside|named|called|list|文件夹|文件|目录|内容|一下|里面|里|中|的|掉|我|所有|全部)(?![\w./-])[\s:：]*/iu;
const TAIL =
  /(?:\s+(?:folder|directory|file|for good|permanently|for me|say|please)|\s*(?:文件夹|文件|目录|的内容|内容|里面|里|中|下|吧|一下))$/iu;

/** Reads a clause about files. */
export function readFiles(action: FileAction, text: string, quotes: readonly Quote[]): Reading {
  switch (action) {
    case "list":
      return call("list_files", { path: folderIn(text, quotes) });
    case "read":
      return readRead(text, quotes);
    case "delete":
      return withPath("delete_file", objectOf(text, DELETE), quotes);
    case "move":
      return readMove(text, quotes);
    case "write":
      return readWrite(text, quotes);
    default:
      return action satisfies never;
  }
}

const DELETE = {
  before:
    /^(?:(?:delete|remove|rm|erase|get rid of|trash|throw away)(?![\w./-])|删除|删掉|删|移除|去掉|清除)\s*(.*)$/isu,
  around: /^(?:把|将)\s*(.+?)\s*(?:删除|删掉|删了|移除|去掉)/su,
};
const READ = {
  before:
    /^(?:(?:read|show|open|cat|print|display|view|see|look at|check|tell me what(?:'s| is) in|what(?:'s| is) in|what does)(?![\w./-])|显示|查看|读取|读一下|读|打开|看看|看一下|看|展示|给我看)\s*(.*)$/isu,
  around: /^(?:把|将)\s*(.+?)\s*(?:显示|打开|读)/su,
};

function readRead(text: string, quotes: readonly Quote[]): Reading {
  const object = objectOf(text, READ);
  const path = pathIn(object, quotes);
  if (path !== undefined && (path.endsWith("/") || /\b(?:folder|directory)\b|文件夹|目录/iu.test(object))) {
    return call("list_files", { path });
  }
  return path === undefined ? { kind: "missing", what: "path" } : call("read_file", { path });
}

function readMove(text: string, quotes: readonly Quote[]): Reading {
  const match =
    /^(?:把|将)\s*(.+?)\s*(?:移动|移|挪|重命名|改名)(?:到|为|成|至)\s*(.+)$/su.exec(text) ??
    /^(?:移动|重命名|改名)\s*(.+?)\s*(?:到|为|成|至)\s*(.+)$/su.exec(text) ??
    /^(?:move|rename|mv)\s+(.+?)\s+(?:to|into|as|->|→)\s+(.+)$/isu.exec(text) ??
    /^mv\s+(\S+)\s+(\S+)$/iu.exec(text);
  if (match === null) return { kind: "missing", what: "target" };
  const from = pathIn(match[1] ?? "", quotes);
  const target = pathIn(match[2] ?? "", quotes);
  if (from === undefined) return { kind: "missing", what: "path" };
  if (target === undefined) return { kind: "missing", what: "target" };
  const to = target.endsWith("/") ? `${target}${from.split("/").at(-1) ?? ""}` : target;
  return call("move_file", { from, to });
}

const WRITE_PATH_FIRST = new RegExp(
  "^(?:write|create|save|put|make|store|写入|写|创建|新建|建立|保存)\\s*(?:to\\s+)?(?:a\\s+|the\\s+)?(?:new\\s+)?(?:file\\s+|文件\\s*)?" +
    `(?:called\\s+|named\\s+)?(${PATH})\\s*(?:(?:with(?:\\s+the)?(?:\\s+(?:contents?|text))?\\b|containing\\b|saying\\b|` +
    "that says\\b|[,，]?\\s*内容(?:为|是)?)\\s*[:：]?|[:：])\\s*(.+)$",
  "isu",
);
const WRITE_CONTENT_FIRST = new RegExp(
  `^(?:write|create|save|put|store)\\s+(.+?)\\s+(?:to|into|in|as)\\s+(?:the\\s+|a\\s+)?(?:new\\s+)?(?:file\\s+)?(${PATH})$`,
  "isu",
);
const WRITE_AROUND = new RegExp(
  `^(?:把|将)\\s*(.+?)\\s*(?:写入|写到|写进|保存到|存到|保存为)\\s*(?:文件\\s*)?(${PATH})$`,
  "su",
);
const WRITE_INSIDE = new RegExp(
  `^在\\s*(${PATH})\\s*(?:文件)?(?:里面|里|中)?\\s*写入?\\s*[:：]?\\s*(.+)$`,
  "su",
);
const CREATE_EMPTY = new RegExp(
  "^(?:create|make|创建|新建|建立)\\s*(?:an?\\s+|the\\s+)?(?:new\\s+|empty\\s+|空)?\\s*(?:file\\s+|文件\\s*)?" +
    `(?:called\\s+|named\\s+)?(${PATH})$`,
  "iu",
);

function readWrite(text: string, quotes: readonly Quote[]): Reading {
  const first = WRITE_PATH_FIRST.exec(text) ?? WRITE_INSIDE.exec(text);
  if (first !== null) return write(first[1], first[2], quotes);
  const last = WRITE_CONTENT_FIRST.exec(text) ?? WRITE_AROUND.exec(text);
  if (last !== null) return write(last[2], last[1], quotes);
  const empty = CREATE_EMPTY.exec(text);
  if (empty !== null) return write(empty[1], "", quotes);
  return { kind: "missing", what: new RegExp(PATH, "u").test(text) ? "content" : "path" };
}

function write(path: string | undefined, content: string | undefined, quotes: readonly Quote[]): Reading {
  return call("write_file", { path: restore(path ?? "", quotes), content: restore(content ?? "", quotes) });
}

function objectOf(text: string, verb: { before: RegExp; around: RegExp }): string {
  return verb.around.exec(text)?.[1] ?? verb.before.exec(text)?.[1] ?? text;
}

function withPath(tool: string, object: string, quotes: readonly Quote[]): Reading {
  const path = pathIn(object, quotes);
  return path === undefined ? { kind: "missing", what: "path" } : call(tool, { path });
}

function folderIn(text: string, quotes: readonly Quote[]): string {
  const rest = text
    .replace(/^(?:list|ls|dir|show|see|what|which|列出|列一下|列|显示|查看)\s*/iu, "")
    .replace(
      /^(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:files|folders|everything)(?:\s+and\s+folders)?\s*(?:are\s+|is\s+)?(?:there\s*)?/iu,
      "",
    )
    .replace(/^(?:in|of|inside|from|under)\s+/iu, "")
    .replace(/(?:下面|里面|里|中|下)?(?:有哪些|有什么|的所有|的全部|所有|全部|的)?文件$/u, "");
  if (/^(?:the\s+)?(?:workspace|here|工作区|当前目录)?$/iu.test(rest.trim())) return ".";
  return pathIn(rest, quotes) ?? ".";
}

/** The one path that a phrase names: a quote, a word with a dot or a slash, or the only word that is left. */
function pathIn(phrase: string, quotes: readonly Quote[]): string | undefined {
  const found = new RegExp(PATH, "u").exec(phrase)?.[0];
  let rest = phrase.trim();
  for (let next = rest; ; rest = next) {
    next = rest.replace(FILLER, "").replace(TAIL, "").trim();
    if (next === rest) break;
  }
  const word = rest !== "" && !/\s/u.test(rest) ? rest : found;
  if (word === undefined || word === "" || NO_PATH.test(word)) return undefined;
  // A full stop behind a word ends the sentence, not the name.
  return restore(/[^./]\.$/u.test(word) ? word.slice(0, -1) : word, quotes);
}

function call(tool: string, args: Record<string, string>): Reading {
  return { kind: "call", call: { tool, args } };
}
