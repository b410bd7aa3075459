import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askingFor, type Asked } from "../../src/desk/index.ts";
import { definePolicy, evaluate, type PolicyInput, type Verdict } from "../../src/policy/index.ts";

const AT = "2026-03-01T10:00:00.000Z";
const asker = { thread_id: "t1", run: "r1" };
const groups = { team: ["a", "b"], leads: ["c"], owners: ["d"] };

function verdictOf(input: Partial<PolicyInput>): Verdict {
  const policy = definePolicy({ version: 1, groups, ...input });
  return evaluate(policy, { name: "x", args: {} }, { tool: { name: "x", declared: "approve" } });
}

const ago = (minutes: number): string => new Date(Date.parse(AT) - minutes * 60_000).toISOString();

/** So many questions at each meter, one each minute until now. */
function counts(given: Record<string, number>): Asked {
  return ({ meter }) => Array.from({ length: given[meter] ?? 0 }, (_, n) => ago((given[meter] ?? 0) - 1 - n));
}

const budget = (
  over: "reject" | "digest" | "escalate",
  by: "reviewers" | "thread" | "run" = "reviewers",
) => ({
  fatigue: { budget: { asks: 3, per: "1h", by, over } },
});

describe("a question within all budgets", () => {
  it("takes one of each budget and one of the run", () => {
    const asking = askingFor(verdictOf(budget("reject")), asker, AT, counts({ "asks:reviewers": 2 }));
    expect(asking).toMatchObject({
      kind: "ask",
      takes: [
        { meter: "asksPerRun", amount: 1 },
        { meter: "asks:reviewers", amount: 1 },
      ],
      limits: [
        { up_to: 30, since: "" },
        { up_to: 3, since: ago(60) },
      ],
    });
    expect(asking).not.toHaveProperty("quiet_until");
  });

  it("counts with the questions of the same groups, of the same thread, or of the same run", () => {
    const subjectOf = (input: Partial<PolicyInput>, who = asker) => {
      const asking = askingFor(verdictOf(input), who, AT, () => []);
      return asking.kind === "ask" ? asking.limits[1]?.subject : undefined;
    };
    const ofTeam = { ...budget("reject"), review: { by: ["team"] } };
    const elsewhere = { thread_id: "t2", run: "r2" };
    expect(subjectOf(ofTeam)).toBe(subjectOf(ofTeam, elsewhere));
    expect(subjectOf(ofTeam)).not.toBe(subjectOf(budget("reject")));
    expect(subjectOf(budget("reject", "thread"))).not.toBe(subjectOf(budget("reject", "thread"), elsewhere));
    expect(subjectOf(budget("reject", "run"))).not.toBe(
      subjectOf(budget("reject", "run"), { ...asker, run: "r2" }),
    );
  });
});

describe("a question beyond a budget", () => {
  const spent = counts({ "asks:reviewers": 3 });

  it("is rejected, with how many were asked in which time and when there is room", () => {
    expect(askingFor(verdictOf(budget("reject")), asker, AT, spent)).toEqual({
      kind: "reject",
      rule: "budget",
      reason:
        "3 questions were asked of the same reviewers in the last 1h, and policy allows 3. There is room for another at 2026-03-01T10:58:00.000Z.",
    });
  });

  it("is quiet until there is room, and takes nothing but of the run", () => {
    expect(askingFor(verdictOf(budget("digest")), asker, AT, spent)).toMatchObject({
      kind: "ask",
      quiet_until: "2026-03-01T10:58:00.000Z",
      takes: [{ meter: "asksPerRun" }],
    });
  });

  it("goes to the first group to escalate to, and takes of that group's budget", () => {
    const input = { ...budget("escalate"), review: { by: ["team"], escalate: ["leads", "owners"] } };
    const fromTeam = (taken: Asked) => askingFor(verdictOf(input), asker, AT, taken);
    const free = fromTeam(() => []);
    const pool = free.kind === "ask" ? free.limits[1]?.subject : undefined;
    const spentByTeam: Asked = ({ subject }) => (subject === pool ? [ago(3), ago(2), ago(1)] : []);
    const put = fromTeam(spentByTeam);
    expect(put).toMatchObject({ kind: "ask", group: { group: "leads", reviewers: ["c"] } });
    if (put.kind !== "ask") throw new Error("rejected");
    expect(put.takes.map(({ meter }) => meter)).toEqual(["asksPerRun", "asks:reviewers"]);
    expect(put.takes[1]?.subject).not.toBe(pool);
    // The group's own budget is used up too.
    expect(fromTeam(spent)).toMatchObject({ kind: "reject", rule: "budget" });
  });

  it("is rejected where there is nobody to escalate to, as when an overlay shares no group with the policy", () => {
    const verdict = verdictOf({ ...budget("escalate"), review: { escalate: ["leads"] } });
    const alone = { ...verdict, review: { ...verdict.review, escalate: [] } };
    expect(askingFor(alone, asker, AT, spent)).toMatchObject({ kind: "reject", rule: "budget" });
  });

  it("is never let through where policy lets nothing be asked", () => {
    const none = (over: "reject" | "digest") =>
      askingFor(verdictOf({ fatigue: { budget: { asks: 0, per: "1h", over } } }), asker, AT, () => []);
    expect(none("reject")).toMatchObject({
      kind: "reject",
      reason: "Policy lets no question be asked of the same reviewers.",
    });
    expect(none("digest")).toMatchObject({ kind: "ask", quiet_until: "2026-03-01T11:00:00.000Z" });
  });
});

describe("a run that has asked as much as it may", () => {
  it("is told to stop asking and to tell the user, whatever budgets there are", () => {
    const verdict = verdictOf({ fatigue: { repeat: { asksPerRun: 2 }, ...budget("digest").fatigue } });
    const asking = askingFor(verdict, asker, AT, counts({ asksPerRun: 2 }));
    expect(asking).toMatchObject({ kind: "reject", rule: "asksPerRun" });
    expect(asking.kind === "reject" && asking.reason).toMatch(
      /no more calls that need an approval: tell the user/,
    );
  });
});

describe("several budgets", () => {
  const over = fc.constantFrom("reject" as const, "digest" as const, "escalate" as const);
  const by = fc.constantFrom("reviewers" as const, "thread" as const, "run" as const);
  const one = fc.record({ asks: fc.nat(4), per: fc.constantFrom("10m", "1h", "1d"), by, over });
  const asked = fc.record({
    ...{
      "asks:reviewers": fc.nat(5),
      "asks:thread": fc.nat(5),
      "asks:run": fc.nat(5),
      asksPerRun: fc.nat(5),
    },
  });

  it("all hold: the strictest of those that are used up decides", () => {
    fc.assert(
      fc.property(
        fc.array(one, { maxLength: 4 }),
        asked,
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        (budgets, before, asksPerRun, hasGroup) => {
          const base = verdictOf(hasGroup ? { review: { escalate: ["leads"] } } : {});
          const verdict: Verdict = { ...base, budgets, repeat: { ...base.repeat, asksPerRun } };
          const asking = askingFor(verdict, asker, AT, counts(before));
          const spent = budgets.filter((budget) => before[`asks:${budget.by}`] >= budget.asks);
          const has = (kind: string) => spent.some((budget) => budget.over === kind);
          const isGroupSpent = spent.some((budget) => budget.by === "reviewers");
          const isPut = hasGroup && !isGroupSpent;
          const expected =
            before.asksPerRun >= asksPerRun
              ? { kind: "reject", rule: "asksPerRun" }
              : has("reject") || (has("escalate") && !isPut)
                ? { kind: "reject", rule: "budget" }
                : has("escalate")
                  ? { kind: "ask", group: { group: "leads" } }
                  : { kind: "ask", ...(spent.length > 0 && { quiet_until: expect.any(String) as string }) };
          expect(asking).toMatchObject(expected);
          if (asking.kind !== "ask") return;
          // What is taken fits into every limit that it names, and each meter is taken of once.
          for (const { meter, up_to } of asking.limits)
            expect((before as Record<string, number>)[meter]).toBeLessThan(up_to);
          expect(new Set(asking.takes.map(({ meter }) => meter)).size).toBe(asking.takes.length);
          if (asking.quiet_until !== undefined) expect(asking.quiet_until > AT).toBe(true);
          if (spent.length === 0)
            expect(asking.takes).toHaveLength(1 + new Set(budgets.map((b) => b.by)).size);
        },
      ),
    );
  });
});
