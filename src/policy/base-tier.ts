import type { ToolAnnotations, ToolFacts } from "./facts.ts";
import { isTier, strictest, type Tier } from "./tier.ts";

/** The tier of a call before any rule, and where it comes from. */
export interface BaseTier {
  tier: Tier;
  from: "declared" | "annotations" | "default" | "unknown tool" | "unreadable risk";
}

/**
 * The tier of a tool without any rule: its declared risk, else its annotations, else the default.
 *
 * Annotations are hints of whoever serves the tool. Read-only is `auto`. Not read-only but said to destroy nothing and
 * to reach nobody outside is `suggest`. Everything else that speaks of either is `approve`: adding something can be as
 * final as removing something when it leaves the house, as a sent mail does. Annotations that speak of neither are
 * `approve` or the default, whichever is stricter. A tool of which nothing is known is treated likewise.
 */
export function baseTier(tool: ToolFacts | undefined, fallback: Tier): BaseTier {
  if (tool === undefined) return { tier: strictest("approve", fallback), from: "unknown tool" };
  if (isTier(tool.declared)) return { tier: tool.declared, from: "declared" };
  if (tool.declared !== undefined) return { tier: strictest("approve", fallback), from: "unreadable risk" };
  const hinted = annotatedTier(tool.annotations, fallback);
  return hinted === undefined ? { tier: fallback, from: "default" } : { tier: hinted, from: "annotations" };
}

function annotatedTier(annotations: ToolAnnotations | undefined, fallback: Tier): Tier | undefined {
  if (typeof annotations !== "object" || annotations === null) return undefined;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
  if (hints.every((hint) => typeof hint !== "boolean")) return undefined;
  if (readOnlyHint === true) return destructiveHint === true ? "approve" : "auto";
  if (destructiveHint === false && openWorldHint === false) return "suggest";
  const speaks = typeof readOnlyHint === "boolean" || typeof destructiveHint === "boolean";
  return speaks ? "approve" : strictest("approve", fallback);
}
