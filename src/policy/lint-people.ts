import { membersOfAll } from "./groups.ts";
import type { Finding } from "./lint.ts";
import { didYouMean } from "./nearest.ts";
import type { Policy } from "./policy.ts";
import type { ReviewInput } from "./review-document.ts";

type Block = [path: string, block: ReviewInput];

/** Groups that nobody is in, quorums that nobody can reach, and what becomes of questions that time out. */
export function lintPeople(policy: Policy): Finding[] {
  const blocks: Block[] = [
    ["review", policy.review],
    ...policy.rules.flatMap(({ review }, index): Block[] =>
      review === undefined ? [] : [[`rules[${index}].review`, review]],
    ),
  ];
  const findings = blocks.flatMap((block) => [
    ...lintGroups(block, policy),
    ...lintQuorum(block, policy),
    ...lintOnTimeout(block, policy),
  ]);
  const [budget] = policy.budgets;
  if (budget?.over === "escalate" && policy.review.escalate.length === 0)
    findings.push(
      error(
        "no_effect",
        "fatigue.budget.over",
        '"escalate" needs `review.escalate`: nobody is named to go to',
      ),
    );
  return findings;
}

function lintGroups([path, { by = [], escalate = [] }]: Block, { groups }: Policy): Finding[] {
  const names = Object.keys(groups);
  const named: [string, string][] = [
    ...by.flatMap((one, index): [string, string][] =>
      typeof one === "string"
        ? [[`by[${index}]`, one]]
        : one.map((name, inner) => [`by[${index}][${inner}]`, name]),
    ),
    ...escalate.map((name, index): [string, string] => [`escalate[${index}]`, name]),
  ];
  return named.flatMap(([at, name]) => {
    if (names.includes(name)) return [];
    const listed = names.length === 0 ? "; `groups` has none" : `; the groups are ${names.join(", ")}`;
    const hint = didYouMean(name, names) || listed;
    return [error("unknown_group", `${path}.${at}`, `"${name}" is no group of this policy${hint}`)];
  });
}

function lintQuorum([path, block]: Block, policy: Policy): Finding[] {
  const quorum = block.quorum ?? policy.review.quorum;
  const own = listsOf(block.by);
  const members = membersOfAll(policy.groups, own.length > 0 ? own : listsOf(policy.review.by));
  if (members === null || members.length >= quorum) return [];
  const message =
    members.length === 0
      ? "nobody is in all of these groups, so nobody could ever decide"
      : `${quorum} reviewers must approve, and only ${members.length} may decide`;
  return [error("unreachable_quorum", `${path}.${own.length > 0 ? "by" : "quorum"}`, message)];
}

function lintOnTimeout(
  [path, { onTimeout, allowTimeoutApproval, escalate = [] }]: Block,
  policy: Policy,
): Finding[] {
  const at = `${path}.onTimeout`;
  if (onTimeout === "escalate" && escalate.length === 0 && policy.review.escalate.length === 0)
    return [error("no_effect", at, '"escalate" needs `escalate`, the groups to go to')];
  const isAllowed = allowTimeoutApproval ?? policy.review.allowTimeoutApproval;
  if (onTimeout !== "approve" || isAllowed) return [];
  const message =
    '"approve" runs a call because nobody answered; write "allowTimeoutApproval": true beside it if that is meant';
  return [error("unsafe_timeout", at, message)];
}

function listsOf(by: ReviewInput["by"]): string[][] {
  if (by === undefined || by.length === 0) return [];
  return by.every((one) => typeof one === "string") ? [by] : by;
}

function error(code: Finding["code"], path: string, message: string): Finding {
  return { severity: "error", code, path, message };
}
