import type { Rule } from "./document.ts";
import { canonicalJson, deepFreeze } from "./json.ts";
import { markParsed, type Policy, type PolicyOverlay } from "./policy.ts";
import { strictestBudget } from "./budget.ts";
import { strictestGrants } from "./grants.ts";
import { strictestRepeat } from "./repeat.ts";
import { strictestReview } from "./review.ts";
import { strictest, strictestMode } from "./tier.ts";

/**
 * A policy with overlays on top. Overlays only tighten, whatever they say; their order is irrelevant and the same one
 * twice is the same as once.
 */
export function combine(base: Policy, ...overlays: PolicyOverlay[]): Policy {
  const overlay = combineOverlays(...(base.overlay === undefined ? [] : [base.overlay]), ...overlays);
  if (Object.keys(overlay).length === 0) return base;
  return markParsed(deepFreeze({ ...base, overlay }));
}

/** One overlay that says what all of them say: the strictest of each key, the rules of all. Plain JSON. */
export function combineOverlays(...overlays: PolicyOverlay[]): PolicyOverlay {
  return deepFreeze(overlays.reduce<PolicyOverlay>(join, {}));
}

function join(a: PolicyOverlay, b: PolicyOverlay): PolicyOverlay {
  const mode = a.mode && b.mode ? strictestMode(a.mode, b.mode) : (a.mode ?? b.mode);
  const tier = a.default && b.default ? strictest(a.default, b.default) : (a.default ?? b.default);
  const rules = unite(a.rules ?? [], b.rules ?? []);
  const review = strictestReview(a.review ?? {}, b.review ?? {});
  const grants = strictestGrants(a.grants ?? {}, b.grants ?? {});
  const budget = strictestBudget(a.fatigue?.budget, b.fatigue?.budget);
  const repeat = strictestRepeat(a.fatigue?.repeat ?? {}, b.fatigue?.repeat ?? {});
  const fatigue = { ...(budget && { budget }), ...(Object.keys(repeat).length > 0 && { repeat }) };
  const mask = [...new Set([...(a.mask ?? []), ...(b.mask ?? [])])].sort();
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(tier === undefined ? {} : { default: tier }),
    ...(rules.length === 0 ? {} : { rules }),
    ...(Object.keys(review).length === 0 ? {} : { review }),
    ...(Object.keys(grants).length === 0 ? {} : { grants }),
    ...(Object.keys(fatigue).length === 0 ? {} : { fatigue }),
    ...(mask.length === 0 ? {} : { mask }),
  };
}

/** The rules of both, each once, in an order that depends on nothing but their content. */
function unite(a: readonly Rule[], b: readonly Rule[]): Rule[] {
  const byContent = new Map([...a, ...b].map((rule) => [canonicalJson(rule), rule]));
  return [...byContent].sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0)).map(([, rule]) => rule);
}
