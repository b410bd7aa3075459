import { compileRegex, type TextTest } from "./regex.ts";

const LONGEST_GLOB = 512;

/**
 * Compiles a glob to a linear-time test: `*` and `?` stay inside a path segment, `**` crosses segments, `[a-z]` and
 * `[!a-z]` are sets, `{a,b}` are alternatives, a backslash makes the next character plain. A leading dot is matched
 * like any other character.
 *
 * @throws {SyntaxError} when the glob is not well formed
 */
export function compileGlob(glob: string): TextTest {
  return compileRegex(`(?s)${translate(glob)}`);
}

/** Compiles a glob on tool names: only `*` and `?` are special, and both match any character. */
export function compileNameGlob(glob: string): TextTest {
  const pattern = [...glob].map((char) => (char === "*" ? ".*" : char === "?" ? "." : escape(char))).join("");
  return compileRegex(`(?s)${pattern}`);
}

function translate(glob: string): string {
  if (glob.length > LONGEST_GLOB) throw new SyntaxError(`is longer than ${LONGEST_GLOB} characters`);
  let pattern = "";
  let open = 0;
  for (let i = 0; i < glob.length;) {
    const char = glob[i] ?? "";
    const atStart = i === 0 || glob[i - 1] === "/";
    if (char === "*") {
      let end = i;
      while (glob[end] === "*") end += 1;
      const wholeSegments = end - i > 1 && atStart;
      if (wholeSegments && glob[end] === "/") {
        pattern += "(?:[^/]*/)*";
        end += 1;
      } else {
        const rest = wholeSegments && end === glob.length;
        // As in shells and editors, `dir/**` also is `dir` itself.
        if (rest && pattern.endsWith("/")) pattern = `${pattern.slice(0, -1)}(?:/.*)?`;
        else pattern += rest ? ".*" : "[^/]*";
      }
      i = end;
    } else if (char === "[") {
      const set = readSet(glob, i);
      pattern += set.pattern;
      i = set.end;
    } else if (char === "{") {
      pattern += "(?:";
      open += 1;
      i += 1;
    } else if (open > 0 && (char === "," || char === "}")) {
      pattern += char === "," ? "|" : ")";
      if (char === "}") open -= 1;
      i += 1;
    } else {
      const plain =
        char === "\\" ? String.fromCodePoint(glob.codePointAt(++i) ?? 0x5c) : glob.slice(i, i + 1);
      pattern += char === "?" ? "[^/]" : escape(plain);
      i += plain.length;
    }
  }
  if (open > 0) throw new SyntaxError("has a { without its }");
  return pattern;
}

function readSet(glob: string, start: number): { pattern: string; end: number } {
  const negated = glob[start + 1] === "!" || glob[start + 1] === "^";
  const from = start + (negated ? 2 : 1);
  const end = glob.indexOf("]", from + 1);
  if (end === -1) throw new SyntaxError("has a [ without its ]");
  const members = glob.slice(from, end).replace(/[\\[\]^&~]/g, "\\$&");
  return { pattern: negated ? `[^/${members}]` : `[${members}]`, end: end + 1 };
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
