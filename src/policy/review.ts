import type { ReviewInput } from "./document.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import type { EffectiveReview } from "./facts.ts";
import type { Review } from "./policy.ts";
import { ALL_DECISIONS, type DecisionType } from "./tier.ts";

const DEFAULTS: Review = {
  ask: "together",
  onNewInput: "refuse",
  decisions: [...ALL_DECISIONS],
  timeout: "24h",
  onTimeout: "reject",
  requireReason: [],
  remember: true,
};

/** A policy's review block with every default filled in. Reject is always among the decisions. */
export function fillReview(stated: ReviewInput): Review {
  return {
    ask: stated.ask ?? DEFAULTS.ask,
    onNewInput: stated.onNewInput ?? DEFAULTS.onNewInput,
    decisions: inOrder([...(stated.decisions ?? DEFAULTS.decisions), "reject"]),
    timeout: stated.timeout ?? DEFAULTS.timeout,
    onTimeout: DEFAULTS.onTimeout,
    requireReason: inOrder(stated.requireReason ?? []),
    remember: stated.remember ?? DEFAULTS.remember,
  };
}

/**
 * What two review blocks say together: for each key the stricter of those that state it. One by one is stricter than
 * together, refuse than withdraw, a shorter timeout than a longer one; decisions are those that both allow, reasons
 * are required where either wants one. Order is irrelevant, and a block with itself gives itself.
 */
export function strictestReview(a: ReviewInput, b: ReviewInput): ReviewInput {
  const ask = either(a.ask, b.ask, (x, y) => (x === "one-by-one" ? x : y));
  const onNewInput = either(a.onNewInput, b.onNewInput, (x, y) => (x === "refuse" ? x : y));
  const decisions = either(withReject(a.decisions), withReject(b.decisions), (x, y) =>
    x.filter((decision) => y.includes(decision)),
  );
  const ms = either(toMs(a.timeout), toMs(b.timeout), Math.min);
  const remember = either(a.remember, b.remember, (x, y) => x && y);
  const requireReason = either(a.requireReason, b.requireReason, (x, y) => [...x, ...y]);
  return {
    ...(ask === undefined ? {} : { ask }),
    ...(onNewInput === undefined ? {} : { onNewInput }),
    ...(decisions === undefined ? {} : { decisions: inOrder(decisions) }),
    ...(ms === undefined ? {} : { timeout: formatDuration(ms) }),
    ...((a.onTimeout ?? b.onTimeout) === undefined ? {} : { onTimeout: "reject" as const }),
    ...(requireReason === undefined ? {} : { requireReason: inOrder(requireReason) }),
    ...(remember === undefined ? {} : { remember }),
  };
}

/**
 * How a call is asked about: the policy's own block with those of the matching rules, then the overlays' on top.
 *
 * A key that the policy leaves at its default is no voice against its own rules (a rule may wait for `"7d"` where
 * nothing else is said), but it is one against an overlay, which never gets more than the policy alone would give.
 */
export function effectiveReview(
  policy: Review,
  ruleBlocks: readonly ReviewInput[],
  overlayBlocks: readonly ReviewInput[],
): EffectiveReview {
  const own = fillReview([...ruleBlocks].reduce(strictestReview, statedOf(policy)));
  const all = fillReview(overlayBlocks.reduce(strictestReview, own));
  const { timeout, ...rest } = all;
  return { ...rest, timeoutMs: parseDuration(timeout) };
}

function statedOf(policy: Review): ReviewInput {
  const { timeout, onNewInput, ...rest } = policy;
  return {
    ...rest,
    ...(timeout === DEFAULTS.timeout ? {} : { timeout }),
    ...(onNewInput === DEFAULTS.onNewInput ? {} : { onNewInput }),
  };
}

function either<T>(a: T | undefined, b: T | undefined, join: (a: T, b: T) => T): T | undefined {
  return a === undefined ? b : b === undefined ? a : join(a, b);
}

function withReject(decisions: readonly DecisionType[] | undefined): DecisionType[] | undefined {
  return decisions === undefined ? undefined : inOrder([...decisions, "reject"]);
}

function inOrder(decisions: readonly DecisionType[]): DecisionType[] {
  return ALL_DECISIONS.filter((decision) => decisions.includes(decision));
}

function toMs(timeout: string | undefined): number | undefined {
  return timeout === undefined ? undefined : parseDuration(timeout);
}
