import { z } from "zod";

/** What happens to a call: `auto` runs it, `suggest` announces and runs it, `approve` asks first, `deny` never runs it. */
export const Tier = z
  .enum(["auto", "suggest", "approve", "deny"])
  .describe("auto: run it. suggest: announce it and run it. approve: ask first. deny: never.");
export type Tier = z.infer<typeof Tier>;

/** What an ask turns into: `interactive` asks, `never` rejects at once, `fail_closed` also ends the run with an error. */
export const Mode = z
  .enum(["interactive", "never", "fail_closed"])
  .describe(
    "interactive: ask. never: every ask is rejected at once, nobody is prompted. " +
      "fail_closed: the calls are answered, then the run ends with an error.",
  );
export type Mode = z.infer<typeof Mode>;

/** The answers a reviewer may be offered. */
export const DecisionType = z.enum(["approve", "edit", "reject", "respond"]);
export type DecisionType = z.infer<typeof DecisionType>;

export const ALL_DECISIONS: readonly DecisionType[] = DecisionType.options;

/** Whether a value is one of the four tiers. */
export function isTier(value: unknown): value is Tier {
  return typeof value === "string" && (Tier.options as readonly string[]).includes(value);
}

/** Below zero when `a` is the milder tier, above zero when it is the stricter one, zero when they are equal. */
export function compareTiers(a: Tier, b: Tier): number {
  return Tier.options.indexOf(a) - Tier.options.indexOf(b);
}

/** The strictest of the given tiers. */
export function strictest(first: Tier, ...others: Tier[]): Tier {
  return others.reduce((worst, tier) => (compareTiers(tier, worst) > 0 ? tier : worst), first);
}

/** The stricter of two modes, in the order interactive, never, fail_closed. */
export function strictestMode(a: Mode, b: Mode): Mode {
  return Mode.options.indexOf(a) >= Mode.options.indexOf(b) ? a : b;
}
