import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PolicyInput } from "../../src/policy/index.ts";
import { readDay } from "../bench/fatigue/day.ts";
import { simulate } from "../bench/fatigue/simulate.ts";

const day = readDay();
const policyNamed = (name: string): PolicyInput =>
  JSON.parse(
    readFileSync(new URL(`../../graphs/policies/${name}.json`, import.meta.url), "utf8"),
  ) as PolicyInput;

describe("a day of 500 calls", () => {
  it.each([
    ["careful", 250],
    ["everyday", 75],
  ])(
    "under the %s policy lets no call through that nobody wants, holds none back that somebody wants, and asks at most %i times",
    { timeout: 60_000 },
    async (name, most) => {
      const figures = await simulate(day, policyNamed(name));
      expect(figures).toMatchObject({ calls: 500, letThrough: [], heldBack: 0 });
      expect(figures.prompts).toBeLessThanOrEqual(most);
      const saved = Object.values(figures.saved).reduce((sum, calls) => sum + calls, 0);
      expect(figures.prompts + saved).toBe(500);
    },
  );
});
