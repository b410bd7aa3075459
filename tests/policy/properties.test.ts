import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  combine,
  combineOverlays,
  compareTiers,
  definePolicy,
  evaluate,
  explain,
  parseDuration,
  parseOverlay,
  type Budget,
  PolicyError,
  strictest,
} from "../../src/policy/index.ts";
import type { Policy, Verdict } from "../../src/policy/index.ts";
import { judge } from "../../src/policy/judgement.ts";
import { defineOrNone } from "./define-or-none.ts";
import * as arbitrary from "./arbitraries.ts";

const policy = arbitrary.document.map(defineOrNone).filter((one) => one !== undefined);
const overlay = arbitrary.overlay.map(parseOverlay);
const runs = { numRuns: 300 };

function isNoMilder(now: Verdict, before: Verdict): void {
  expect(compareTiers(now.tier, before.tier)).toBeGreaterThanOrEqual(0);
  const modes = ["interactive", "never", "fail_closed"];
  expect(modes.indexOf(now.mode)).toBeGreaterThanOrEqual(modes.indexOf(before.mode));
  expect(now.review.timeoutMs).toBeLessThanOrEqual(before.review.timeoutMs);
  expect(before.review.decisions).toEqual(expect.arrayContaining(now.review.decisions));
  expect(now.review.requireReason).toEqual(expect.arrayContaining(before.review.requireReason));
  expect(now.review.ask === "together" && before.review.ask === "one-by-one").toBe(false);
  expect(now.review.onNewInput === "withdraw" && before.review.onNewInput === "refuse").toBe(false);
  expect(now.review.decisions).toContain("reject");
  expect(now.review.quorum).toBeGreaterThanOrEqual(before.review.quorum);
  expect(!now.review.separateDuties && before.review.separateDuties).toBe(false);
  expect(now.review.remember && !before.review.remember).toBe(false);
  expect(now.review.onTimeout === "escalate" && before.review.onTimeout === "reject").toBe(false);
  if (before.review.reviewers !== null)
    expect(before.review.reviewers).toEqual(expect.arrayContaining(now.review.reviewers ?? ["everybody"]));
  expect(now.repeat.asksPerRun).toBeLessThanOrEqual(before.repeat.asksPerRun);
  for (const budget of before.budgets) expect(now.budgets.some((one) => holdsAsMuch(one, budget))).toBe(true);
}

function holdsAsMuch(now: Budget, before: Budget): boolean {
  const wider = ["reviewers", "thread", "run"];
  return (
    now.asks <= before.asks &&
    parseDuration(now.per) >= parseDuration(before.per) &&
    wider.indexOf(now.by) <= wider.indexOf(before.by)
  );
}

describe("a policy", () => {
  it("does not depend on the order of its rules", () => {
    const shuffled = arbitrary.document.chain((input) =>
      fc.tuple(
        fc.constant(input),
        fc
          .shuffledSubarray(input.rules ?? [], { minLength: input.rules?.length ?? 0 })
          .map((rules) => ({ ...input, rules })),
      ),
    );
    fc.assert(
      fc.property(shuffled, arbitrary.call, arbitrary.facts, ([one, other], call, found) => {
        const [a, b] = [defineOrNone(one), defineOrNone(other)];
        fc.pre(a !== undefined && b !== undefined);
        const facts = arbitrary.factsFor(call.name, found);
        expect(evaluate(b, call, facts)).toEqual(evaluate(a, call, facts));
      }),
      runs,
    );
  });

  it("is never relaxed by an overlay, in any key", () => {
    fc.assert(
      fc.property(
        policy,
        fc.array(overlay, { maxLength: 3 }),
        arbitrary.call,
        arbitrary.facts,
        (base, overlays, call, found) => {
          const facts = arbitrary.factsFor(call.name, found);
          let before = evaluate(base, call, facts);
          let combined = base;
          for (const one of overlays) {
            combined = combine(combined, one);
            const now = evaluate(combined, call, facts);
            isNoMilder(now, before);
            before = now;
          }
        },
      ),
      runs,
    );
  });

  it("is as strict with an unknown as with any way the unknown could turn out", () => {
    fc.assert(
      fc.property(
        policy,
        arbitrary.call,
        arbitrary.facts,
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        (base, call, found, coins) => {
          const facts = arbitrary.factsFor(call.name, found);
          const { outcomes, base: start, tier } = judge(base, call, facts);
          const declared = facts.tool?.declared;
          const settled = outcomes.filter(({ rule, truth }, index) => {
            const holds = truth === "true" || (truth === "unknown" && coins[index] === true);
            const byGlob = !rule.tools.includes(call.name);
            return holds && !(byGlob && declared !== undefined && compareTiers(rule.tier, declared) < 0);
          });
          const [first, ...others] = settled.map(({ rule }) => rule.tier);
          const turnedOut = first === undefined ? start.tier : strictest(first, ...others);
          expect(compareTiers(tier, turnedOut)).toBeGreaterThanOrEqual(0);
        },
      ),
      runs,
    );
  });

  it("gives the same verdict again, and after a round trip through JSON", () => {
    fc.assert(
      fc.property(policy, overlay, arbitrary.call, arbitrary.facts, (base, over, call, found) => {
        const facts = arbitrary.factsFor(call.name, found);
        const combined = combine(base, over);
        const verdict = evaluate(combined, call, facts);
        expect(evaluate(combined, call, facts)).toEqual(verdict);
        expect(evaluate(JSON.parse(JSON.stringify(combined)) as Policy, call, facts)).toEqual(verdict);
      }),
      runs,
    );
  });

  it("judges and explains any call whatever without throwing", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSparseArray: true,
      withNullPrototype: true,
    });
    fc.assert(
      fc.property(policy, anything, anything, (base, call, facts) => {
        const verdict = evaluate(base, call as never, facts as never);
        expect(compareTiers(verdict.tier, "auto")).toBeGreaterThanOrEqual(0);
        expect(explain(base, call as never, facts as never).length).toBeGreaterThan(0);
      }),
      runs,
    );
  });

  it("is refused with a PolicyError and nothing else", () => {
    const keys = fc.constantFrom(
      "version",
      "rules",
      "review",
      "when",
      "id",
      "tools",
      "tier",
      "not",
      "all",
      "gt",
      "__proto__",
    );
    const nearly = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "medium" },
        fc.constantFrom<unknown>(1, "auto", "x", null, "", "15m"),
        fc.dictionary(keys, tie("value")),
        fc.array(tie("value"), { maxLength: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withBigInt: true, withDate: true }), nearly), (input) => {
        for (const parse of [definePolicy, parseOverlay]) {
          try {
            parse(input);
          } catch (error) {
            expect(error).toBeInstanceOf(PolicyError);
            expect((error as PolicyError).errors.length).toBeGreaterThan(0);
          }
        }
      }),
      runs,
    );
  });
});

describe("overlays", () => {
  it("combine to the same in any order, any grouping and any number of times", () => {
    fc.assert(
      fc.property(policy, overlay, overlay, overlay, (base, a, b, c) => {
        const all = combine(base, a, b, c);
        expect(combine(base, c, b, a)).toEqual(all);
        expect(combine(combine(base, b), combineOverlays(c, a))).toEqual(all);
        expect(combine(all, b, a)).toEqual(all);
      }),
      runs,
    );
  });
});
