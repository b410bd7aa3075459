import { branchesOf, fieldsOf, listOf, type Predicate, type When } from "./when.ts";

const LONGEST = 200;

/** A rule's test in words: what the policy says, never what a call holds. */
export function describeWhen(when: When): string {
  return shorten(whenWords(when));
}

/** A text of the policy's author with no control characters, not longer than a line or two. */
export function shorten(text: string): string {
  const plain = text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ");
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1)}…`;
}

function whenWords(when: When): string {
  const parts = fieldsOf(when).map(([path, predicate]) => `\`${path}\` ${predicateWords(predicate)}`);
  if (when.all !== undefined) parts.push(...when.all.map(whenWords));
  if (when.any !== undefined) parts.push(group(when.any.map(whenWords), " or "));
  if (when.not !== undefined) {
    const simple = fieldsOf(when.not).length + branchesOf(when.not).length === 1;
    parts.push(simple ? `not: ${whenWords(when.not)}` : `not (${whenWords(when.not)})`);
  }
  return parts.join(" and ");
}

function predicateWords(predicate: Predicate): string {
  const parts: string[] = [];
  const say = (words: string, value: unknown) => {
    if (value !== undefined) parts.push(`${words} ${JSON.stringify(value)}`);
  };
  const sayTexts = (words: string, value: string | string[] | undefined) => {
    if (value !== undefined)
      parts.push(
        `${words} ${listOf(value)
          .map((text) => JSON.stringify(text))
          .join(" or ")}`,
      );
  };
  say("is", predicate.equals);
  if (predicate.in !== undefined) parts.push(`is one of ${JSON.stringify(predicate.in).slice(1, -1)}`);
  sayTexts("matches the glob", predicate.glob);
  sayTexts("matches the expression", predicate.regex);
  sayTexts("lies within", predicate.within);
  sayTexts("has the host", predicate.host);
  sayTexts("runs only", predicate.shell);
  say("is greater than", predicate.gt);
  say("is at least", predicate.gte);
  say("is less than", predicate.lt);
  say("is at most", predicate.lte);
  if (predicate.exists !== undefined) parts.push(predicate.exists ? "is given" : "is left out");
  if (predicate.all !== undefined) parts.push(...predicate.all.map(predicateWords));
  if (predicate.any !== undefined) parts.push(group(predicate.any.map(predicateWords), " or "));
  if (predicate.not !== undefined) parts.push(`does not satisfy (${predicateWords(predicate.not)})`);
  return parts.join(" and ");
}

function group(parts: readonly string[], joiner: string): string {
  return parts.length === 1 ? (parts[0] ?? "") : `(${parts.join(joiner)})`;
}
