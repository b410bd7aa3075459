import type { Rule } from "./document.ts";
import type { Finding } from "./lint.ts";
import { canonicalJson } from "./json.ts";
import { compareTiers } from "./tier.ts";
import { compileNames, isNameGlob, type Naming } from "./tool-names.ts";

interface Read {
  rule: Rule;
  names: (tool: string) => Naming;
  /** Its test as a text; empty when it has none. */
  test: string;
}

/** Rules that change no verdict, since another one without a narrower test speaks of the same calls. */
export function lintShadowed(rules: readonly Rule[]): Finding[] {
  const read = rules.map((rule): Read => ({
    rule,
    names: compileNames(rule.tools),
    test: rule.when === undefined ? "" : canonicalJson(rule.when),
  }));
  return read.flatMap((one, index): Finding[] => {
    const over = read.find((other, place) => place !== index && shadows(other, one, place < index));
    if (over === undefined) return [];
    const { rule } = one;
    const message =
      over.rule.tier === rule.tier
        ? `rule "${rule.id}" says what "${over.rule.id}" says already`
        : `rule "${rule.id}" (${rule.tier}) changes nothing: "${over.rule.id}" (${over.rule.tier}) speaks of the same calls and is stricter`;
    return [{ severity: "warning", code: "shadowed", path: `rules[${index}]`, message }];
  });
}

/** Whether a rule makes another one pointless. Of two that say the same, the first one stays. */
function shadows(over: Read, under: Read, isBefore: boolean): boolean {
  if (over.test !== "" && over.test !== under.test) return false;
  const order = compareTiers(over.rule.tier, under.rule.tier);
  if (order < 0 || (order === 0 && !(isBefore && isSameReview(over.rule, under.rule)))) return false;
  const all = over.rule.tools.includes("*");
  return under.rule.tools.every((entry) =>
    isNameGlob(entry) ? all || over.rule.tools.includes(entry) : over.names(entry) !== undefined,
  );
}

function isSameReview(a: Rule, b: Rule): boolean {
  return canonicalJson(a.review ?? {}) === canonicalJson(b.review ?? {});
}
