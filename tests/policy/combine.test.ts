import { describe, expect, it } from "vitest";
import { combine, combineOverlays, definePolicy, parseOverlay, PolicyError } from "../../src/policy/index.ts";
import { judgeCall } from "./support.ts";

const base = definePolicy({
  version: 1,
  default: "suggest",
  rules: [{ id: "reads", tools: ["read_file"], tier: "auto" }],
  review: { timeout: "1h", decisions: ["approve", "edit", "reject"], ask: "one-by-one" },
});

describe("an overlay", () => {
  it("raises the tier of what it names", () => {
    const policy = combine(base, parseOverlay({ rules: [{ id: "no", tools: ["*"], tier: "deny" }] }));
    expect(judgeCall(policy, "read_file", { path: "a" })).toMatchObject({
      tier: "deny",
      rules: ["no", "reads"],
    });
  });
  it("raises the default, the mode and the review, key by key", () => {
    const overlay = parseOverlay({
      default: "deny",
      mode: "never",
      review: { timeout: "5m", decisions: ["approve", "respond"], requireReason: ["reject"] },
    });
    const verdict = judgeCall(combine(base, overlay), "refund", {});
    expect(verdict).toMatchObject({ tier: "deny", mode: "never" });
    expect(verdict.review).toMatchObject({
      ask: "one-by-one",
      timeoutMs: 300_000,
      decisions: ["approve", "reject"],
      requireReason: ["reject"],
    });
  });
  it("does not relax anything, and the verdict says so", () => {
    const overlay = parseOverlay({
      default: "auto",
      mode: "interactive",
      rules: [{ id: "free", tools: ["delete_file", "refund"], tier: "auto" }],
      review: { timeout: "7d", ask: "together", decisions: ["respond"] },
    });
    const strict = definePolicy({
      version: 1,
      mode: "never",
      review: { timeout: "1h", ask: "one-by-one", decisions: ["approve"] },
    });
    const verdict = judgeCall(combine(strict, overlay), "delete_file", { path: "a" });
    expect(verdict).toMatchObject({ tier: "approve", mode: "never", rules: [] });
    expect(verdict.review).toMatchObject({ timeoutMs: 3_600_000, ask: "one-by-one", decisions: ["reject"] });
    expect(verdict.why).toContain(
      'An overlay asked for less, which did not count: rule "free" (auto), mode interactive',
    );
    expect(judgeCall(combine(strict, overlay), "refund", {}).why).toContain("default auto");
  });
  it("counts only what it states", () => {
    expect(combine(base, parseOverlay({}))).toBe(base);
    expect(judgeCall(combine(base, parseOverlay({ mode: "never" })), "refund", {})).toMatchObject({
      tier: "suggest",
    });
  });
  it.each([
    [{ allowances: [] }, "only the graph's own policy has `allowances`"],
    [{ groups: {} }, "only the graph's own policy has `groups`"],
    [{ fatigue: { rubberStamp: {} } }, "only the graph's own policy has `rubberStamp`"],
    [{ review: { quorum: 0 } }, "review.quorum"],
    [{ moed: "never" }, "moed"],
    [{ rules: [{ id: "a", tools: ["x"], tier: "aprove" }] }, "rules[0].tier"],
    [null, "must be an object"],
  ])("is refused when it holds %j", (input, words) => {
    const attempt = () => parseOverlay(input);
    expect(attempt).toThrow(PolicyError);
    expect(attempt).toThrow(/policy overlay is not valid/);
    expect(attempt).toThrow(words);
  });
});

describe("combine", () => {
  const one = parseOverlay({ mode: "never", rules: [{ id: "a", tools: ["refund"], tier: "approve" }] });
  const two = parseOverlay({
    mode: "fail_closed",
    rules: [{ id: "b", tools: ["*"], tier: "deny" }],
    review: { timeout: "2m" },
  });
  it("does not depend on order or repetition", () => {
    expect(combine(base, one, two)).toEqual(combine(base, two, one, one));
    expect(combine(combine(base, one), two)).toEqual(combine(base, combineOverlays(two, one)));
    expect(combine(combine(base, one), one)).toEqual(combine(base, one));
  });
  it("gives plain JSON that judges the same after a round trip", () => {
    const policy = combine(base, one, two);
    const copy = JSON.parse(JSON.stringify(policy)) as typeof policy;
    expect(copy).toEqual(policy);
    expect(judgeCall(copy, "refund", { amount: 1 })).toEqual(judgeCall(policy, "refund", { amount: 1 }));
    expect(parseOverlay(JSON.parse(JSON.stringify(combineOverlays(one, two))))).toEqual(
      combineOverlays(one, two),
    );
  });
  it("leaves what it was given as it was", () => {
    const before = JSON.stringify([base, one, two]);
    combine(base, one, two);
    expect(JSON.stringify([base, one, two])).toBe(before);
    expect(Object.isFrozen(combine(base, one).overlay?.rules)).toBe(true);
    expect(definePolicy(combine(base, one))).toEqual(combine(base, one));
  });
});
