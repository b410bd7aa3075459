import { compiled } from "./compiled-policy.ts";
import type { Policy } from "./policy.ts";
import { branchesOf, fieldsOf, innerPredicates, type Predicate, type When } from "./when.ts";

/**
 * The dot paths of arguments whose place in the workspace the policy may need to judge a call of this tool, sorted:
 * those with a `within` or a `glob` in a rule that names the tool. Look them up before `evaluate`; a `glob` also works
 * on a text that is no path, so leave out of the facts what cannot be one, such as a URL.
 */
export function pathArguments(policy: Policy, tool: string): string[] {
  const { own, overlay } = compiled(policy);
  const rules = [...own, ...overlay].filter(({ naming }) => naming(tool) !== undefined);
  return [
    ...new Set(rules.flatMap(({ rule }) => (rule.when === undefined ? [] : pathsIn(rule.when)))),
  ].sort();
}

function pathsIn(when: When): string[] {
  const own = fieldsOf(when).flatMap(([path, predicate]) => (looksAtPath(predicate) ? [path] : []));
  return [...own, ...branchesOf(when).flatMap(pathsIn)];
}

function looksAtPath(predicate: Predicate): boolean {
  if (predicate.within !== undefined || predicate.glob !== undefined) return true;
  return innerPredicates(predicate).some(looksAtPath);
}
