/** A text whose quoted parts were taken out, so that words inside them mean nothing. */
export interface Lifted {
  text: string;
  quotes: readonly Quote[];
}

export interface Quote {
  /** With its quotation marks. */
  raw: string;
  inner: string;
}

const OPEN = "\uE000";
const CLOSE = "\uE001";

/** A place where a quote was, for use in a larger pattern. */
export const QUOTE = `${OPEN}\\d+${CLOSE}`;

// An apostrophe is a quotation mark only where a word could not hold it. Braces hold together like quotation marks.
const QUOTED =
  /\{(?:[^{}]|\{[^{}]*\})*\}|```\w*\n?([\s\S]*?)```|`([^`]*)`|"([^"]*)"|“([^”]*)”|「([^」]*)」|『([^』]*)』|(?<![\p{L}\d])'([^']*)'(?![\p{L}\d])/gu;

/** Takes the quoted parts out of a request. */
export function lift(request: string): Lifted {
  const quotes: Quote[] = [];
  const text = request.replaceAll(OPEN, "").replaceAll(CLOSE, "");
  const lifted = text.replace(QUOTED, (raw: string, ...rest: unknown[]) => {
    const inner = rest.find((group, at): group is string => at < 7 && typeof group === "string") ?? raw;
    quotes.push({ raw, inner });
    return `${OPEN}${quotes.length - 1}${CLOSE}`;
  });
  return { text: lifted, quotes };
}

/** Puts the quotes back. A text that is one quote and nothing else loses its quotation marks. */
export function restore(text: string, quotes: readonly Quote[]): string {
  const trimmed = text.trim();
  const only = new RegExp(`^${OPEN}(\\d+)${CLOSE}$`, "u").exec(trimmed);
  if (only?.[1] !== undefined) return quotes[Number(only[1])]?.inner ?? "";
  return trimmed.replace(new RegExp(`${OPEN}(\\d+)${CLOSE}`, "gu"), (_, index: string) => {
    return quotes[Number(index)]?.raw ?? "";
  });
}
