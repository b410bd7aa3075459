export { combine, combineOverlays } from "./combine.ts";
export { didYouMean, nearest } from "./nearest.ts";
export { definePolicy, parseOverlay } from "./define.ts";
export { OverlayDocument, PolicyDocument } from "./document.ts";
export type { PolicyInput, Rule } from "./document.ts";
export type { ReviewInput } from "./review-document.ts";
export { amountOf } from "./allowance.ts";
export type { Allowance } from "./allowance.ts";
export type { AutomaticReviewer } from "./automatic-reviewer.ts";
export type { Budget } from "./budget.ts";
export { needsIdentities } from "./needs-identities.ts";
export type { Group } from "./groups.ts";
export type { RubberStamp } from "./rubber-stamp.ts";
export { DURATION_PATTERN, formatDuration, parseDuration } from "./duration.ts";
export { evaluate } from "./evaluate.ts";
export { exceeds } from "./exceeds.ts";
export type { Disclosed } from "./exceeds.ts";
export { explain } from "./explain.ts";
export type { EffectiveReview, Facts, PolicyCall, ToolAnnotations, ToolFacts, Verdict } from "./facts.ts";
export { policyJsonSchema } from "./json-schema.ts";
export type { Grants, Scope } from "./grants.ts";
export { lintPolicy } from "./lint.ts";
export type { Finding, FindingCode } from "./lint.ts";
export {
  isMemberName,
  MASKED,
  maskArgs,
  maskedPaths,
  masksOf,
  restoreMasked,
  secretsIn,
  SHORTEST_SECRET,
} from "./mask.ts";
export type { Restored } from "./mask.ts";
export { pathArguments } from "./path-arguments.ts";
export { modeOf } from "./policy.ts";
export type { Policy, PolicyOverlay, Review } from "./policy.ts";
export { PolicyError } from "./policy-error.ts";
export type { PolicyProblem } from "./policy-error.ts";
export { compareTiers, DecisionType, isTier, Mode, strictest, strictestMode, Tier } from "./tier.ts";
export { Secrets } from "./secrets.ts";
export { visible, visibleAgain, visibleLine, visibleProse } from "./visible.ts";
export { checkTest, describeTest, fieldsNamed, passes } from "./test-of-arguments.ts";
export { Predicate, When } from "./when.ts";
