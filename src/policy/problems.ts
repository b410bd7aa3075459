import type { z } from "zod";
import { OWNERS_ONLY } from "./document.ts";
import { didYouMean } from "./nearest.ts";
import { formatPath, type PolicyProblem } from "./policy-error.ts";
import { PREDICATE_KEYS } from "./when.ts";

type Issue = z.core.$ZodIssue;

const REVIEW_KEYS = [
  ...["ask", "onNewInput", "decisions", "timeout", "onTimeout", "allowTimeoutApproval", "escalate"],
  ...["quorum", "separateDuties", "by", "requireReason", "remember"],
];
const RULE_KEYS = ["id", "tools", "when", "tier", "reason", "review"];
const TOP_KEYS = [
  ...["version", "mode", "default", "rules", "review", "grants", "allowances", "fatigue", "reviewers"],
  ...["groups", "mask"],
];

/** The keys that stand inside a key of the top level. */
const INNER_KEYS: Readonly<Record<string, readonly string[]>> = {
  grants: ["scopes", "maxTtl", "maxUses"],
  allowances: ["id", "tools", "sum", "upTo", "per", "by"],
  reviewers: ["use", "may", "timeout"],
  fatigue: ["budget", "repeat", "rubberStamp"],
  budget: ["asks", "per", "by", "over"],
  repeat: ["afterReject", "afterExpiry", "asksPerRun"],
  rubberStamp: ["window", "approveRate", "medianSeconds", "then"],
  then: ["requireReason", "pauseSeconds", "secondReviewer"],
};

/** Says what a schema found wrong with an input, a path and a sentence for each thing. */
export function problemsOf(issues: readonly Issue[], input: unknown): PolicyProblem[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: formatPath([...issue.path, key]),
        message: unknownKey(key, issue.path),
      }));
    }
    return [{ path: formatPath(deepestPath(issue)), message: sentence(issue, valueAt(input, issue.path)) }];
  });
}

function unknownKey(key: string, path: readonly PropertyKey[]): string {
  const inPredicate = path.includes("when");
  if (!inPredicate && OWNERS_ONLY.includes(key))
    return `only the graph's own policy has \`${key}\`, since an overlay can only tighten; remove it`;
  const known = inPredicate ? PREDICATE_KEYS : knownKeys(path);
  const kind = inPredicate ? "predicate" : "key";
  const hint = didYouMean(key, known) || `; the ${kind}s here are ${known.join(", ")}`;
  return `"${key.slice(0, 60)}" is not a known ${kind}${hint}`;
}

function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.includes("review")) return REVIEW_KEYS;
  if (path.includes("rules")) return RULE_KEYS;
  const inner = path.filter((key): key is string => typeof key === "string").at(-1);
  return (inner !== undefined && INNER_KEYS[inner]) || TOP_KEYS;
}

function sentence(issue: Issue, value: unknown): string {
  const key = issue.path.at(-1);
  if (value === undefined && issue.code !== "custom") return "is required";
  switch (issue.code) {
    case "invalid_value":
      return wrongValue(key, value, issue.values.map(String));
    case "invalid_type":
      if (issue.expected === "int") return "must be a whole number";
      if (key === "timeout") return `must be a duration in quotes, like "15m", not ${kindOf(value)}`;
      return `must be ${article(issue.expected)}, not ${kindOf(value)}`;
    case "too_small":
      if (value === "") return "must not be empty";
      return issue.origin === "array" ? "must not be an empty list" : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "array" || issue.origin === "string"
        ? `has more than ${issue.maximum} ${issue.origin === "array" ? "entries" : "characters"}`
        : `must be at most ${issue.maximum}`;
    case "invalid_union":
      return Array.isArray(value) && value.length === 0
        ? "must not be an empty list"
        : "must be a text or a list of texts, none of them empty";
    case "invalid_format":
      return wrongFormat(key, issue.path, String(value));
    default:
      return issue.message;
  }
}

function wrongValue(key: PropertyKey | undefined, value: unknown, allowed: readonly string[]): string {
  if (key === "version") return "must be 1, the only version of the policy language";
  const text = typeof value === "string" ? `"${value.slice(0, 60)}"` : kindOf(value);
  const hint = typeof value === "string" ? didYouMean(value, allowed) : "";
  const list = allowed.map((one) => `"${one}"`).join(", ");
  return hint === "" ? `${text} is not one of ${list}` : `${text} is not one of ${list}${hint}`;
}

function wrongFormat(key: PropertyKey | undefined, path: readonly PropertyKey[], value: string): string {
  const text = `"${value.slice(0, 60)}"`;
  if (key === "timeout" || key === "maxTtl" || key === "per")
    return `${text} is no duration; write a whole number and s, m, h or d, like "15m"`;
  if (path[0] === "mask")
    return `${text} is no path of arguments; write names joined by dots, with * for any one and ** for any number, like "**.password"`;
  if (path.includes("by") || path.includes("escalate") || path[0] === "groups")
    return `${text} is no name of a group; write letters, digits and . _ - without spaces, at most 64`;
  if (path[0] === "allowances" && path.includes("tools"))
    return `${text} is no exact tool name; an allowance relaxes, so it names each tool without * and ?`;
  if (path[0] === "reviewers")
    return `${text} is no name of a reviewer; write the name it is registered under`;
  if (path.includes("tools"))
    return `${text} is no tool name; write a name or a glob with * and ?, like "read_*"`;
  return `${text} is no rule id; write letters, digits and . _ : / - without spaces, at most 100`;
}

function deepestPath(issue: Issue): PropertyKey[] {
  if (issue.code !== "invalid_union") return issue.path;
  const inner = issue.errors.flat().find((one) => one.path.length > 0);
  return [...issue.path, ...(inner?.path ?? [])];
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );
}

function article(expected: string): string {
  const words: Record<string, string> = {
    array: "a list",
    object: "an object",
    record: "an object",
    string: "a text",
    number: "a number",
    boolean: "true or false",
  };
  return words[expected] ?? expected;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : article(typeof value);
}
