import { describe, expect, it } from "vitest";
import { orderWith } from "../../src/server/assistants/order-with.ts";

const saying = (given: { config?: Record<string, unknown>; context?: Record<string, unknown> }) => ({
  ...{ config: {}, context: {} },
  ...given,
});

describe("what a run says over what its assistant says", () => {
  it("wins key by key", () => {
    const config = {
      configurable: { a: 1, b: 1 },
      tags: ["x"],
      recursion_limit: 5,
      metadata: { m: 1, n: 1 },
    };
    const order = { configurable: { b: 2 }, tags: ["y"], metadata: { n: 2 }, context: { user: "u" } };
    expect(orderWith(saying({ config, context: { user: "a", lang: "en" } }), order)).toEqual({
      ...{ configurable: { a: 1, b: 2 }, tags: ["y"], recursion_limit: 5, metadata: { m: 1, n: 2 } },
      context: { user: "u", lang: "en" },
    });
    expect(orderWith(saying({}), {})).toEqual({});
    expect(orderWith(saying({ context: { lang: "en" } }), {})).toEqual({ context: { lang: "en" } });
  });

  it("takes nothing from an assistant that is the server's to say", () => {
    const configurable = { thread_id: "t", checkpoint_id: "c", __pregel_strict_resume: false, ok: 1 };
    expect(orderWith(saying({ config: { configurable } }), {})).toEqual({ configurable: { ok: 1 } });
  });
});

describe("policies of a run and of its assistant", () => {
  const both = (kept: Record<string, unknown>, given: Record<string, unknown>) =>
    orderWith(saying({ context: kept }), { context: given }).context;

  it("count together, the stricter of each key", () => {
    const kept = { policy: { default: "deny", review: { timeout: "1h" } }, mode: "never" };
    const given = { policy: { default: "auto", review: { timeout: "15m" } }, mode: "interactive" };
    const strict = { policy: { default: "deny", review: { timeout: "15m" } }, mode: "never" };
    expect(both(kept, given)).toEqual(strict);
    expect(both(given, kept)).toEqual(strict);
  });

  it("count alone where only one says something", () => {
    expect(both({ policy: { default: "deny" } }, {})).toEqual({ policy: { default: "deny" } });
    expect(both({}, { mode: "never" })).toEqual({ mode: "never" });
  });

  it("do not hide one that cannot be read, which no gate will run under", () => {
    expect(both({ policy: { newer: 1 }, mode: "newer" }, { policy: {}, mode: "interactive" })).toEqual({
      ...{ policy: { newer: 1 }, mode: "newer" },
    });
    expect(both({ policy: { default: "deny" } }, { policy: null })).toEqual({ policy: null });
  });
});
