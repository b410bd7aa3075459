import { QUOTE } from "./quotes.ts";

/** What a clause asks for. */
export type Action = "list" | "read" | "write" | "move" | "delete" | "run" | "sql" | "http";

/** A path as a pattern: a quote, or a word that holds a dot or a slash. */
export const PATH = `(?:${QUOTE}|[^\\s,;:"'\`，。；：、！？]*[./][^\\s,;:"'\`，。；：、！？]*)`;

/** The start of an SQL statement, strict enough that "delete notes/old.md" is none. */
export const SQL =
  "(?:select\\b|values\\s*\\(|insert\\s+(?:or\\s+\\w+\\s+)?into\\b|replace\\s+into\\b|update\\s+\\S+\\s+set\\b|delete\\s+from\\b|" +
  "create\\s+(?:table|index|view|trigger|unique)\\b|drop\\s+(?:table|index|view|trigger)\\b|alter\\s+table\\b|" +
  "with\\s+\\w+\\s+as\\b|pragma\\b|explain\\b|vacuum\\b)";

export const DATABASE = `(?:${QUOTE}|[^\\s,;:，。；：、]+\\.(?:db|sqlite3?))`;

export const URL_WORD = /https?:\/\/[^\s"'`<>，。；、）)\uE000]+/iu;

const POLITE =
  /^(?:please|kindly|now|also|just|first|finally|hey|ok|okay|so|can you|could you|would you|will you|i want you to|i would like you to|i'd like you to|let's|请你|请|帮我|麻烦你|麻烦|能不能|可以|你|先|也|再)[\s,，]*/iu;

const VERBS: readonly (readonly [Action, RegExp])[] = [
  ["sql", new RegExp(`^${SQL}`, "iu")],
  ["sql", /^(?:query|sql|(?:run|execute)\s+(?:the\s+|this\s+|an?\s+)?(?:sql|query)\b|查询)/iu],
  ["sql", new RegExp(`^(?:run|execute|执行|运行)\\s*[:：]?\\s*${SQL}`, "iu")],
  ["sql", new RegExp(`^(?:在|从|用|对)\\s*${DATABASE}.*(?:查询|执行|运行)`, "iu")],
  ["run", /^(?:\$\s|(?:run|execute|exec|shell)(?![\w./-])|运行|执行|跑一下|跑)/iu],
  ["list", /^(?:list|ls|dir)(?![\w./-])|^(?:列出|列一下|列)/iu],
  ["list", /^(?:show|what|which|see)\b.*\b(?:files|folders)\b|(?:有哪些|有什么|所有|全部)文件/iu],
  ["list", /^what(?:'s| is) in (?:the )?(?:workspace|(?:folder|directory)\b)/iu],
  [
    "write",
    /^(?:write|create|save|put|make|store)(?![\w./-])(?!\s+https?:)|^(?:写入|写|创建|新建|建立|保存)/iu,
  ],
  ["write", /^(?:把|将).+(?:写入|写到|写进|保存到|存到|保存为)|^在.+写入?/u],
  [
    "move",
    /^(?:move|rename|mv)(?![\w./-])|^(?:移动|重命名|改名)|^(?:把|将).+(?:移动|移|挪|重命名|改名)(?:到|为|成|至)/iu,
  ],
  [
    "delete",
    /^(?:delete|remove|rm|erase|get rid of|trash|throw away)(?![\w./-])|^(?:删除|删掉|删|移除|去掉|清除)/iu,
  ],
  ["delete", /^(?:把|将).+(?:删除|删掉|删了|移除|去掉)/u],
  [
    "http",
    /^(?:fetch|download|http|request|call|get|head|post|patch|curl|send)(?![\w./-])|^(?:请求|访问|抓取|获取)/iu,
  ],
  [
    "read",
    /^(?:read|show|open|cat|print|display|view|see|look at|check|tell me what(?:'s| is) in|what(?:'s| is) in|what does)(?![\w./-])/iu,
  ],
  ["read", /^(?:显示|查看|读取|读一下|读|打开|看看|看一下|看|展示|给我看)|^(?:把|将).+(?:显示|打开|读)/u],
];

/** The clause without words of courtesy in front. */
export function withoutCourtesy(clause: string): string {
  let rest = clause.trim();
  for (;;) {
    const next = rest.replace(POLITE, "");
    if (next === rest || next === "") return rest;
    rest = next;
  }
}

/** What a clause asks for, told by its first words; undefined when they say nothing. */
export function actionOf(clause: string): Action | undefined {
  const text = withoutCourtesy(clause);
  const found = VERBS.find(([, pattern]) => pattern.test(text))?.[0];
  if (found !== "run" && found !== "write" && URL_WORD.test(text)) return "http";
  return found;
}
