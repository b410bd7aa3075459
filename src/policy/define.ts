import type { z } from "zod";
import { fillAllowance } from "./allowance.ts";
import { fillReviewer } from "./automatic-reviewer.ts";
import { fillBudget } from "./budget.ts";
import { checkWhen } from "./check-when.ts";
import { compiled } from "./compiled-policy.ts";
import { OverlayDocument, PolicyDocument } from "./document.ts";
import { parseDuration } from "./duration.ts";
import type { ToolFacts } from "./facts.ts";
import { readJsonInput } from "./json-input.ts";
import { deepFreeze } from "./json.ts";
import { fillGrants } from "./grants.ts";
import { lintParts } from "./lint.ts";
import { fillRepeat } from "./repeat.ts";
import { isParsed, markParsed, type Policy, type PolicyOverlay } from "./policy.ts";
import { formatPath, PolicyError, type PolicyProblem } from "./policy-error.ts";
import { problemsOf } from "./problems.ts";
import { fillReview } from "./review.ts";
import { fillRubberStamp } from "./rubber-stamp.ts";

/**
 * Parses and lints a policy and fills in its defaults. With `tools`, a rule that names no registered tool is an error.
 * A policy that was defined before is only linted.
 *
 * @throws {PolicyError} with a path and a sentence for everything that is wrong
 */
export function definePolicy(input: unknown, options: { tools?: readonly ToolFacts[] } = {}): Policy {
  const policy = isParsed(input) ? input : parsePolicy(input);
  const errors = lintParts(policy, options.tools).filter((finding) => finding.severity === "error");
  if (errors.length > 0) throw new PolicyError(errors.map(({ path, message }) => ({ path, message })));
  // Matchers are built now, so that the first call does not wait for them.
  compiled(policy);
  return markParsed(policy);
}

function parsePolicy(input: unknown): Policy {
  const document = parseDocument(PolicyDocument, input, "policy");
  return deepFreeze({
    version: 1,
    mode: document.mode ?? "interactive",
    default: document.default ?? "approve",
    rules: document.rules ?? [],
    review: fillReview(document.review ?? {}),
    grants: fillGrants(document.grants ?? {}),
    repeat: fillRepeat(document.fatigue?.repeat ?? {}),
    budgets: document.fatigue?.budget === undefined ? [] : [fillBudget(document.fatigue.budget)],
    allowances: (document.allowances ?? []).map(fillAllowance),
    reviewers: (document.reviewers ?? []).map(fillReviewer),
    groups: document.groups ?? {},
    rubberStamp:
      document.fatigue?.rubberStamp === undefined ? null : fillRubberStamp(document.fatigue.rubberStamp),
    ...(document.mask === undefined ? {} : { mask: document.mask }),
  });
}

/**
 * Parses a partial policy that can only tighten another. Only what it states counts.
 *
 * @throws {PolicyError} with a path and a sentence for everything that is wrong
 */
export function parseOverlay(input: unknown): PolicyOverlay {
  const document = parseDocument(OverlayDocument, input, "policy overlay");
  return deepFreeze({
    ...(document.mode === undefined ? {} : { mode: document.mode }),
    ...(document.default === undefined ? {} : { default: document.default }),
    ...(document.rules === undefined ? {} : { rules: document.rules }),
    ...(document.review === undefined ? {} : { review: document.review }),
    ...(document.grants === undefined ? {} : { grants: document.grants }),
    ...(document.fatigue === undefined ? {} : { fatigue: document.fatigue }),
    ...(document.mask === undefined ? {} : { mask: document.mask }),
  });
}

function parseDocument<S extends typeof PolicyDocument | typeof OverlayDocument>(
  schema: S,
  input: unknown,
  what: string,
): z.output<S> {
  const json = readJsonInput(input, what);
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw new PolicyError(problemsOf(parsed.error.issues, json), what);
  const problems = checkDocument(parsed.data);
  if (problems.length > 0) throw new PolicyError(problems, what);
  return parsed.data as z.output<S>;
}

type Written = z.output<typeof PolicyDocument> | z.output<typeof OverlayDocument>;

function checkDocument(document: Written): PolicyProblem[] {
  const seen = new Map<string, number>();
  const problems = durationsIn(document).flatMap(([text, path]) => checkDuration(text, path));
  for (const [index, rule] of (document.rules ?? []).entries()) {
    const first = seen.get(rule.id);
    if (first === undefined) seen.set(rule.id, index);
    else {
      const message = `"${rule.id}" is the id of rules[${first}] already; give each rule its own`;
      problems.push({ path: `rules[${index}].id`, message });
    }
    if (rule.when !== undefined) problems.push(...checkWhen(rule.when, ["rules", index, "when"]));
  }
  return problems;
}

function durationsIn(document: Written): [string | undefined, PropertyKey[]][] {
  const { rules = [], review, grants, fatigue } = document;
  const { allowances = [], reviewers = [] } =
    "allowances" in document || "reviewers" in document ? document : {};
  return [
    [review?.timeout, ["review", "timeout"]],
    [grants?.maxTtl, ["grants", "maxTtl"]],
    [fatigue?.budget?.per, ["fatigue", "budget", "per"]],
    ...rules.map(({ review }, index): [string | undefined, PropertyKey[]] => [
      review?.timeout,
      ["rules", index, "review", "timeout"],
    ]),
    ...allowances.map(({ per }, index): [string, PropertyKey[]] => [per, ["allowances", index, "per"]]),
    ...reviewers.map(({ timeout }, index): [string | undefined, PropertyKey[]] => [
      timeout,
      ["reviewers", index, "timeout"],
    ]),
  ];
}

function checkDuration(duration: string | undefined, path: readonly PropertyKey[]): PolicyProblem[] {
  if (duration === undefined) return [];
  try {
    parseDuration(duration);
    return [];
  } catch (error) {
    return [{ path: formatPath(path), message: error instanceof Error ? error.message : "is no duration" }];
  }
}
