import { compileGlob } from "./glob.ts";
import { parseHost } from "./host.ts";
import { formatPath, type PolicyProblem } from "./policy-error.ts";
import { compileRegex } from "./regex.ts";
import { parseShellPattern } from "./shell-pattern.ts";
import { fieldsOf, TEXT_PREDICATES, type Predicate, type TextPredicate, type When } from "./when.ts";
import { parseFolder } from "./within.ts";

const READERS: Record<TextPredicate, { kind: string; read: (text: string) => unknown }> = {
  glob: { kind: "glob", read: compileGlob },
  regex: { kind: "regular expression", read: compileRegex },
  within: { kind: "folder", read: parseFolder },
  host: { kind: "host", read: parseHost },
  shell: { kind: "shell pattern", read: parseShellPattern },
};

type Path = readonly PropertyKey[];

/** What the schema cannot see in a test: field names, globs, expressions, folders, hosts and shell patterns. */
export function checkWhen(when: When, path: Path): PolicyProblem[] {
  const fields = fieldsOf(when).flatMap(([field, predicate]) => [
    ...checkField(field, [...path, field]),
    ...checkPredicate(predicate, [...path, field]),
  ]);
  const lists = (["all", "any"] as const).flatMap((key) =>
    (when[key] ?? []).flatMap((inner, index) => checkWhen(inner, [...path, key, index])),
  );
  return [...fields, ...lists, ...(when.not === undefined ? [] : checkWhen(when.not, [...path, "not"]))];
}

function checkField(field: string, path: Path): PolicyProblem[] {
  if (field.length <= 200 && field.split(".").every((segment) => segment !== "")) return [];
  return [{ path: formatPath(path), message: "must be an argument's name, or names joined by dots" }];
}

function checkPredicate(predicate: Predicate, path: Path): PolicyProblem[] {
  const texts = TEXT_PREDICATES.flatMap((key) => checkTexts(key, predicate[key], [...path, key]));
  const lists = (["all", "any"] as const).flatMap((key) =>
    (predicate[key] ?? []).flatMap((inner, index) => checkPredicate(inner, [...path, key, index])),
  );
  const not = predicate.not === undefined ? [] : checkPredicate(predicate.not, [...path, "not"]);
  return [...texts, ...lists, ...not];
}

function checkTexts(key: TextPredicate, value: string | string[] | undefined, path: Path): PolicyProblem[] {
  if (value === undefined) return [];
  if (typeof value === "string") return checkText(key, value, path);
  return value.flatMap((text, index) => checkText(key, text, [...path, index]));
}

function checkText(key: TextPredicate, text: string, path: Path): PolicyProblem[] {
  const { kind, read } = READERS[key];
  try {
    read(text);
    return [];
  } catch (error) {
    const detail = error instanceof Error ? error.message : "unreadable";
    return [
      { path: formatPath(path), message: `${JSON.stringify(text.slice(0, 80))} is no ${kind}: ${detail}` },
    ];
  }
}
