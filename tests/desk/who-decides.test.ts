import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedBy, askingFor, whoDecides, type Decider, type Known } from "../../src/desk/index.ts";
import type { Approval, Grant } from "../../src/ledger/index.ts";
import {
  combine,
  definePolicy,
  evaluate,
  parseOverlay,
  type Policy,
  type PolicyInput,
  type Verdict,
} from "../../src/policy/index.ts";
import { defineOrNone } from "../policy/define-or-none.ts";
import * as arbitrary from "../policy/arbitraries.ts";

const AT = "2026-03-01T10:00:00.000Z";
const asker = { thread_id: "t1", run: "r1" };

/** What an approval or a grant says is looked at before: here it is there or not. */
const earlier = { approval_id: "apr_1" } as Approval;
const rejection = { grant_id: "gra_r", effect: "reject" } as Grant;
const approval = { grant_id: "gra_a", effect: "approve" } as Grant;

const allowance = fc.record({
  id: fc.constantFrom("small", "large"),
  tools: fc.subarray(["read", "write", "shell"], { minLength: 1 }),
  sum: fc.constant("n"),
  upTo: fc.integer({ min: 0, max: 9 }),
  per: fc.constantFrom("1h", "1d"),
  by: fc.constantFrom("thread" as const, "user" as const, "everyone" as const),
});
const allowances = fc.uniqueArray(allowance, { minLength: 1, maxLength: 2, selector: ({ id }) => id });

/** Policies in which little speaks against an allowance, since most others want people. */
const mild = fc.record({
  version: fc.constant(1 as const),
  rules: arbitrary.rules.map((rules) => rules.slice(0, 1)),
});

const policy = fc
  .tuple(fc.oneof(arbitrary.document, mild), fc.option(allowances, { nil: undefined, freq: 9 }))
  .map(([input, some]) => defineOrNone({ ...input, ...(some && { allowances: some }) }))
  .filter((one) => one !== undefined);
const overlay = fc.oneof(fc.constant({}), arbitrary.overlay).map(parseOverlay);

const nothing = { earlier: null, rejection: null, approval: null };
const standing = fc.oneof(
  fc.constant(nothing),
  fc.record({
    earlier: fc.option(fc.constant(earlier)),
    rejection: fc.option(fc.constant(rejection)),
    approval: fc.option(fc.constant(approval)),
  }),
);
const amount = fc.constantFrom<unknown>(
  3,
  0,
  2.5,
  1e9,
  -1,
  NaN,
  Infinity,
  -Infinity,
  "3",
  null,
  [3],
  undefined,
);
const asked = fc.array(fc.constant(AT), { maxLength: 12 });
const user = fc.option(fc.constant("ann"));

interface World {
  stands: Omit<Known, "allowed">;
  times: string[];
  who: string | null;
  args: Record<string, unknown>;
}

/** What becomes of a call in the end, and what decided so. */
function endOf(
  verdict: Verdict,
  { stands, times, who, args }: World,
): { decider: Decider; isAsked: boolean } {
  const allowed = allowedBy({ verdict, args, thread_id: "t1", user: who, at: AT });
  const decider = whoDecides(verdict, { ...stands, allowed });
  const isAsked = decider.kind === "people" && askingFor(verdict, asker, AT, () => times).kind === "ask";
  return { decider, isAsked };
}

/** Whether a call runs and no person is asked about it. */
function runsUnasked({ kind, ...more }: Decider): boolean {
  if (kind === "grant") return (more as { grant: Grant }).grant.effect === "approve";
  return kind === "runs" || kind === "allowance";
}

describe("who decides about a call", () => {
  const given = fc.record({ stands: standing, times: asked, who: user, n: amount });
  const run = (property: (verdict: Verdict, world: World) => void) =>
    fc.assert(
      fc.property(
        policy,
        overlay,
        arbitrary.call,
        arbitrary.facts,
        given,
        (base, over, call, found, world) => {
          const facts = arbitrary.factsFor(call.name, found);
          for (const one of [base, combine(base, over)])
            property(evaluate(one, call, facts), { ...world, args: { ...call.args, n: world.n } });
        },
      ),
      { numRuns: 300 },
    );

  it("follows the order of force, whatever else there is", () => {
    run((verdict, world) => {
      const { decider, isAsked } = endOf(verdict, world);
      const { stands } = world;
      if (verdict.tier === "deny") expect(decider.kind).toBe("denied");
      else if (verdict.tier !== "approve") expect(decider).toEqual({ kind: "runs", tier: verdict.tier });
      else if (verdict.mode !== "interactive") expect(decider).toEqual({ kind: "mode", mode: verdict.mode });
      else if (stands.earlier) expect(decider.kind).toBe("repeat");
      else if (!verdict.review.remember) expect(decider.kind).toBe("people");
      else if (stands.rejection) expect(decider).toEqual({ kind: "grant", grant: rejection });
      else if (stands.approval) expect(decider).toEqual({ kind: "grant", grant: approval });
      if (decider.kind !== "people") expect(isAsked).toBe(false);
      if (isAsked) {
        expect(world.times.length).toBeLessThan(verdict.repeat.asksPerRun);
        const spent = verdict.budgets.filter(({ asks }) => world.times.length >= asks);
        expect(spent.every(({ over }) => over !== "reject")).toBe(true);
      }
    });
  });

  it("is an allowance exactly where nothing stricter speaks and all that name the tool can tell the amount", () => {
    const groups = { g: ["u", "v"] };
    const rule = { id: "r", tools: ["pay"], tier: "approve" as const };
    const blocks: Record<string, Partial<PolicyInput> | Partial<World>> = {
      denied: { rules: [{ ...rule, tier: "deny" }] },
      runs: { rules: [{ ...rule, tier: "auto" }] },
      mode: { mode: "never" },
      "remember false": { rules: [{ ...rule, review: { remember: false } }] },
      quorum: { review: { quorum: 2 } },
      duties: { review: { separateDuties: true } },
      by: { review: { by: ["g"] }, groups },
      "no amount": { args: { n: "3" } },
      "below zero": { args: { n: -1 } },
      "no number": { args: { n: NaN } },
      "without end": { args: { n: Infinity } },
      earlier: { stands: { ...nothing, earlier } },
      rejection: { stands: { ...nothing, rejection } },
      approval: { stands: { ...nothing, approval } },
      "other tools": { allowances: [{ id: "other", tools: ["send"], sum: "n", upTo: 1, per: "1d" }] },
      "nobody's": {
        who: null,
        allowances: [{ id: "own", tools: ["pay"], sum: "n", upTo: 1, per: "1d", by: "user" }],
      },
    };
    const ofPay = allowances.map((all) => all.map((one) => ({ ...one, tools: ["pay"] })));
    const some = fc.oneof(fc.constant([]), fc.subarray(Object.keys(blocks), { maxLength: 3 }));
    let cleared = 0;
    fc.assert(
      fc.property(some, ofPay, fc.constantFrom(0, 3, 2.5, 1e9), (names, all, n) => {
        const parts = Object.assign({}, ...names.map((name) => blocks[name])) as PolicyInput & Partial<World>;
        const { stands = nothing, args = { n }, who = "ann", ...more } = parts;
        const one = definePolicy({ allowances: all, ...more, version: 1 });
        const facts = { tool: { name: "pay", declared: "approve" as const } };
        const verdict = evaluate(one, { name: "pay", args }, facts);
        const { decider } = endOf(verdict, { stands, args, who, times: [] });
        expect(decider.kind === "allowance").toBe(names.length === 0);
        if (decider.kind !== "allowance") return;
        cleared += 1;
        expect(decider.allowed.takes).toEqual(
          all.map(({ id }) => expect.objectContaining({ meter: `allowance:${id}`, amount: n }) as object),
        );
        expect(decider.allowed.limits.map(({ up_to }) => up_to)).toEqual(all.map(({ upTo }) => upTo));
      }),
    );
    // The property would say little where no call was cleared.
    expect(cleared).toBeGreaterThan(10);
  });

  it("is never milder under an overlay: what was not run unasked is not, what was refused stays refused", () => {
    fc.assert(
      fc.property(
        policy,
        overlay,
        arbitrary.call,
        arbitrary.facts,
        given,
        (base, over, call, found, world) => {
          const facts = arbitrary.factsFor(call.name, found);
          const of = (one: Policy) =>
            endOf(evaluate(one, call, facts), { ...world, args: { ...call.args, n: world.n } }).decider;
          const [before, after] = [of(base), of(combine(base, over))];
          if (runsUnasked(after)) expect(runsUnasked(before)).toBe(true);
          if (before.kind === "denied") expect(after.kind).toBe("denied");
          if (before.kind === "mode") expect(["mode", "denied"]).toContain(after.kind);
          if (before.kind === "repeat") expect(["repeat", "mode", "denied"]).toContain(after.kind);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is never milder after a rejection, remembered or of the same call, and never stricter after an approval", () => {
    run((verdict, world) => {
      const end = (stands: Partial<World["stands"]>) =>
        endOf(verdict, { ...world, stands: { ...world.stands, ...stands } }).decider;
      const before = runsUnasked(endOf(verdict, world).decider);
      if (!before) for (const one of [{ earlier }, { rejection }]) expect(runsUnasked(end(one))).toBe(false);
      if (before) expect(runsUnasked(end({ approval }))).toBe(true);
    });
  });
});
