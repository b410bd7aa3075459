import type { Judgement } from "./judgement.ts";
import type { Policy } from "./policy.ts";
import { effectiveReview } from "./review.ts";
import type { EffectiveReview } from "./facts.ts";
import type { ReviewInput } from "./review-document.ts";
import { compareTiers, strictestMode } from "./tier.ts";
import { parseDuration } from "./duration.ts";

/** What an overlay asked for in vain of this call, since it is less than the policy says: a few words for each. */
export function overlookedOf(policy: Policy, judgement: Judgement): string[] {
  const overlay = policy.overlay;
  if (overlay === undefined) return [];
  const found = judgement.outcomes
    .filter(({ fate }) => fate === "milder overlay")
    .map(({ rule }) => `rule "${rule.id}" (${rule.tier})`);
  const usesDefault = judgement.base.from === "default" || judgement.base.from === "unknown tool";
  if (overlay.default !== undefined && usesDefault && compareTiers(overlay.default, policy.default) < 0) {
    found.push(`default ${overlay.default}`);
  }
  if (overlay.mode !== undefined && strictestMode(overlay.mode, policy.mode) !== overlay.mode) {
    found.push(`mode ${overlay.mode}`);
  }
  if (judgement.tier === "approve") found.push(...reviewKeys(policy, judgement));
  return found;
}

function reviewKeys(policy: Policy, judgement: Judgement): string[] {
  const { outcomes } = judgement;
  const counting = outcomes.filter(({ fate }) => fate === "counts");
  const blocks = counting.filter(({ fromOverlay }) => !fromOverlay).flatMap(({ rule }) => rule.review ?? []);
  const own = effectiveReview(policy, blocks, [], judgement.base.tier);
  const asked = [
    ...(policy.overlay?.review === undefined ? [] : [policy.overlay.review]),
    ...counting.filter(({ fromOverlay }) => fromOverlay).flatMap(({ rule }) => rule.review ?? []),
  ];
  return [...new Set(asked.flatMap((block) => milderKeys(own, block)))].map((key) => `review.${key}`);
}

function milderKeys(own: EffectiveReview, asked: ReviewInput): string[] {
  const milder = {
    ask: asked.ask === "together" && own.ask === "one-by-one",
    onNewInput: asked.onNewInput === "withdraw" && own.onNewInput === "refuse",
    decisions: (asked.decisions ?? []).some((decision) => !own.decisions.includes(decision)),
    timeout: asked.timeout !== undefined && parseDuration(asked.timeout) > own.timeoutMs,
    onTimeout: asked.onTimeout === "approve" && own.onTimeout !== "approve",
    quorum: asked.quorum !== undefined && asked.quorum < own.quorum,
    separateDuties: asked.separateDuties === false && own.separateDuties,
  };
  return Object.entries(milder).flatMap(([key, isMilder]) => (isMilder ? [key] : []));
}
