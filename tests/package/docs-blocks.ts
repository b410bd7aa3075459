/** A fenced block of a Markdown file. */
export interface Block {
  /** The first word after the fence: `sh`, `console`, `ts`, `json`, … */
  language: string;
  code: string;
  /** The line of the opening fence, from 1. */
  line: number;
  /** Whether `<!-- server -->` stands above it, or above an earlier block of the file. */
  server: boolean;
  /** The reason in `<!-- not run: reason -->` directly above it. */
  notRun?: string;
}

/** One command of a `console` block and the output the page shows for it. */
export interface Exchange {
  command: string;
  output: string;
}

/** The fenced blocks of a page, with the comments that say how they are run. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let server = false;
  let notRun: string | undefined;
  let open: { fence: string; block: Block } | undefined;
  for (const [at, line] of markdown.split("\n").entries()) {
    if (open) {
      if (line.trim() === open.fence) open = undefined;
      else open.block.code += `${line}\n`;
      continue;
    }
    const fence = /^\s*(`{3,})\s*([\w-]*)/.exec(line);
    if (fence?.[1] !== undefined) {
      const block: Block = { language: fence[2] ?? "", code: "", line: at + 1, server };
      if (notRun !== undefined) block.notRun = notRun;
      notRun = undefined;
      blocks.push(block);
      open = { fence: fence[1], block };
    } else if (/^<!-- server -->$/.test(line.trim())) {
      server = true;
    } else if (line.trim() !== "") {
      notRun = /^<!-- not run: (.+) -->$/.exec(line.trim())?.[1];
    }
  }
  if (open) throw new Error(`The block that opens in line ${open.block.line} is never closed.`);
  return blocks;
}

/** Splits a `console` block: `$ ` begins a command, `> ` goes on with it, the rest is its output. */
export function exchangesOf(code: string): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const line of code.trimEnd().split("\n")) {
    const last = exchanges.at(-1);
    if (line.startsWith("$ ")) exchanges.push({ command: line.slice(2), output: "" });
    else if (!last)
      throw new Error(`A console block begins with a command ("$ …"), not with ${JSON.stringify(line)}.`);
    else if (last.output === "" && line.startsWith("> ")) last.command += `\n${line.slice(2)}`;
    else if (last.output === "" && last.command.endsWith("\\")) last.command += `\n${line}`;
    else last.output += `${line}\n`;
  }
  return exchanges;
}

/**
 * The output that a page shows, as a pattern: `…` stands for anything within a line, alone on a line for any lines;
 * `<name>` stands for one word, the same word wherever the page repeats the name.
 */
export function patternOf(shown: string): RegExp {
  const names = new Set<string>();
  const lines = shown.trimEnd().split("\n");
  const source = lines.map((line, at) => {
    if (line.trim() === "…") return "(?:.*\n)*?";
    const inLine = line.trimEnd().replace(/…|<(\w+)>|[\\^$.*+?()[\]{}|/]/g, (found, name?: string) => {
      if (found === "…") return ".*";
      if (name === undefined) return `\\${found}`;
      if (names.has(name)) return `\\k<${name}>`;
      names.add(name);
      return `(?<${name}>[\\w.:-]+)`;
    });
    return `${inLine}[ \\t]*${at === lines.length - 1 ? "\n?" : "\n"}`;
  });
  return new RegExp(`^${source.join("")}$`);
}
