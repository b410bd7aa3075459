import type { Phrases } from "./phrases.ts";
import type { Missing } from "./plan.ts";

const because = (lead: string, reason: string) => (reason === "" ? "。" : `${lead}${reason}`);

const VERBS: Record<string, string> = {
  list_files: "列出",
  read_file: "读取",
  write_file: "写入",
  move_file: "移动",
  delete_file: "删除",
  run_shell: "运行",
  sql_query: "查询",
  http_request: "请求",
};

const MISSING: Record<Missing, string> = {
  path: "哪个文件？请写出名字，例如 notes/todo.md。",
  content: "写什么内容？例如：把“买牛奶”写入 notes/new.md。",
  target: "移到哪里？例如：把 notes/old.md 移动到 archive/old.md。",
  command: "哪条命令？例如：运行 `ls -la`。",
  database: "哪个数据库？例如：查询 data/shop.db：select * from orders。",
  statement: "哪条 SQL 语句？例如：查询 data/shop.db：select * from orders。",
};

const ANOTHER: Record<string, string> = {
  delete_file: "我可以改为把它移到别的文件夹，或者先给您看内容。您想怎么做？",
  write_file: "我可以换个文件名或换个内容。您想怎么做？",
  move_file: "我可以移到别的地方。移到哪里？",
  run_shell: "请告诉我另一条命令，或者您想知道什么，我用只读的办法试试。",
  sql_query: "我可以先用 SELECT 显示会涉及的行。您想怎么做？",
  http_request: "我可以先用 GET 看看这个地址。您想怎么做？",
};

export const CHINESE: Phrases = {
  introduction: `我是排练模型：只按规则执行简单的请求，里面没有 AI。要用真正的模型，请设置 COUNTERSIGN_MODEL（例如 "openai:gpt-5" 或 "anthropic:claude-sonnet-4-5"）和相应的密钥。

您可以这样说，一次说几件事也可以：
- 列出 notes 目录
- 删除 notes/old.md 并显示 notes/todo.md
- 把“买牛奶”写入 notes/new.md
- 把 notes/new.md 移动到 notes/shopping.md
- 运行 \`ls -la\`
- 查询 data/shop.db：select * from orders
- 请求 http://127.0.0.1:4100/ok`,
  notUnderstood: (part) => `我没听懂“${part}”。`,
  missing: (part, what) => `“${part}”：${MISSING[what]}`,
  noTool: (tool, what) => `我不能${what}：这里没有工具 ${tool}。`,
  about: (what) => `我来${what}。`,
  then: "接下来：",
  done: (what) => `完成：${what}。`,
  responded: (what, text) => `没有执行：${what}。有人直接给出了回答：${text}`,
  failed: (what, text) => `失败：${what}。${text}`,
  refused: (what, why) => `没有执行：${what}。${why}`,
  rejected: (what, reason) =>
    `没有执行：${what}。它被拒绝了${because("，理由是：", reason)}\n什么都没有改动，我不会再试一次。`,
  cancelled: (what, reason) => `没有执行：${what}。这个问题被撤回了${because("：", reason)}`,
  expired: (what) => `没有执行：${what}。没有人及时答复，也没有人拒绝。有人在的时候请再说一次。`,
  unavailable: (what) => `没有执行：${what}。它需要批准，但没有人可以批准。`,
  unknown: (what, text) => `不知道这一步是否生效：${what}。请先查看再继续。${text}`,
  unanswered: (what) => `这一步没有收到答复：${what}。`,
  notStarted: (what) => `没有开始，因为前面的步骤没有完成：${what}。`,
  another: (tool) => ANOTHER[tool] ?? "请告诉我改怎么做。",
  cut: "[……已缩短]",
  verb: (tool) => VERBS[tool],
};
