import { formatDuration, parseDuration } from "./duration.ts";
import type { EffectiveReview } from "./facts.ts";
import { groupsOf, membersOfAll } from "./groups.ts";
import type { Groups } from "./people-document.ts";
import type { Review } from "./policy.ts";
import type { ReviewInput } from "./review-document.ts";
import { ALL_DECISIONS, compareTiers, type DecisionType, type Tier } from "./tier.ts";

const DEFAULTS: Review = {
  ask: "together",
  onNewInput: "refuse",
  decisions: [...ALL_DECISIONS],
  timeout: "24h",
  onTimeout: "reject",
  allowTimeoutApproval: false,
  escalate: [],
  quorum: 1,
  separateDuties: false,
  by: [],
  requireReason: [],
  remember: true,
};

/** A review block on its way to a verdict: `by` as a list of lists, each of which a reviewer must be in. */
type Block = Omit<ReviewInput, "by"> & { by?: string[][] | undefined };

/** A policy's review block with every default filled in. Reject is always among the decisions. */
export function fillReview(stated: ReviewInput): Review {
  return {
    ...DEFAULTS,
    ...Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)),
    decisions: inOrder([...(stated.decisions ?? DEFAULTS.decisions), "reject"]),
    requireReason: inOrder(stated.requireReason ?? []),
  };
}

/**
 * What two review blocks say together: for each key the stricter of those that state it. One by one is stricter than
 * together, refuse than withdraw, a shorter timeout than a longer one, a larger quorum than a smaller one, reject than
 * escalate than approve; decisions and groups to escalate to are those that both allow, reasons are required where
 * either wants one. Order is irrelevant, and a block with itself gives itself.
 */
export function strictestReview(a: ReviewInput, b: ReviewInput): ReviewInput {
  const { by, ...rest } = stricter(blockOf(a), blockOf(b));
  return { ...rest, ...(by === undefined ? {} : { by: by.length === 1 ? by[0] : by }) };
}

/**
 * How a call is asked about: the policy's own block with those of the matching rules, then the overlays' on top.
 *
 * A key that the policy leaves at its default is no voice against its own rules (a rule may wait for `"7d"` where
 * nothing else is said), but it is one against an overlay, which never gets more than the policy alone would give.
 */
export function effectiveReview(
  policy: { review: Review; groups: Groups },
  ruleBlocks: readonly ReviewInput[],
  overlayBlocks: readonly ReviewInput[],
  base: Tier,
): EffectiveReview {
  const own = [...ruleBlocks].map(blockOf).reduce(stricter, blockOf(statedOf(policy.review)));
  const { by: ownBy = [], ...ownRest } = own;
  const filled: Block = { ...fillReview(ownRest), by: ownBy };
  const { by = [], ...all } = overlayBlocks.map(blockOf).reduce(stricter, filled);
  const { timeout, onTimeout, allowTimeoutApproval, escalate, ...rest } = fillReview(all);
  // Where several must approve, or only some may, silence is nobody's word.
  const isAnybodys = rest.quorum === 1 && by.length === 0;
  const mayApprove = allowTimeoutApproval && isAnybodys && compareTiers(base, "suggest") <= 0;
  return {
    ...rest,
    by,
    reviewers: membersOfAll(policy.groups, by),
    timeoutMs: parseDuration(timeout),
    onTimeout: onTimeout === "approve" && !mayApprove ? "reject" : onTimeout,
    escalate: groupsOf(policy.groups, escalate),
  };
}

function stricter(a: Block, b: Block): Block {
  const ms = either(toMs(a.timeout), toMs(b.timeout), Math.min);
  const joined: { [Key in keyof Block]: Block[Key] } = {
    ask: either(a.ask, b.ask, (x, y) => (x === "one-by-one" ? x : y)),
    onNewInput: either(a.onNewInput, b.onNewInput, (x, y) => (x === "refuse" ? x : y)),
    decisions: either(withReject(a.decisions), withReject(b.decisions), (x, y) =>
      x.filter((one) => y.includes(one)),
    ),
    timeout: ms === undefined ? undefined : formatDuration(ms),
    onTimeout: either(a.onTimeout, b.onTimeout, quicker),
    allowTimeoutApproval: either(a.allowTimeoutApproval, b.allowTimeoutApproval, (x, y) => x && y),
    escalate: either(a.escalate, b.escalate, sameGroups),
    quorum: either(a.quorum, b.quorum, Math.max),
    separateDuties: either(a.separateDuties, b.separateDuties, (x, y) => x || y),
    by: either(a.by, b.by, (x, y) => uniqueLists([...x, ...y])),
    requireReason: either(a.requireReason, b.requireReason, (x, y) => inOrder([...x, ...y])),
    remember: either(a.remember, b.remember, (x, y) => x && y),
  };
  return Object.fromEntries(Object.entries(joined).filter(([, value]) => value !== undefined));
}

const ON_TIMEOUT = ["approve", "escalate", "reject"] as const;

function quicker(a: Review["onTimeout"], b: Review["onTimeout"]): Review["onTimeout"] {
  return ON_TIMEOUT.indexOf(a) >= ON_TIMEOUT.indexOf(b) ? a : b;
}

/** The groups of both. Where two orders differ, neither is the owner's alone, so it is the one of the alphabet. */
function sameGroups(a: string[], b: string[]): string[] {
  if (a.join(" ") === b.join(" ")) return a;
  return a.filter((group) => b.includes(group)).sort();
}

function blockOf({ by, ...rest }: ReviewInput): Block {
  const lists = listsOf(by);
  return lists === undefined ? rest : { ...rest, by: lists };
}

/** The lists of groups in each of which a reviewer must be. An empty list names nobody in particular. */
function listsOf(by: ReviewInput["by"]): string[][] | undefined {
  if (by === undefined || by.length === 0) return undefined;
  const lists = by.every((one) => typeof one === "string") ? [by] : by;
  return uniqueLists(lists.map((names) => [...new Set(names)].sort()));
}

function uniqueLists(lists: readonly string[][]): string[][] {
  const byName = new Map(lists.map((list) => [list.join(" "), list]));
  return [...byName].sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0)).map(([, list]) => list);
}

/** What a policy states: what is at its default is no voice. */
function statedOf(policy: Review): ReviewInput {
  const stated = Object.entries(policy).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULTS[key as keyof Review]),
  );
  return Object.fromEntries(stated);
}

function either<T>(a: T | undefined, b: T | undefined, join: (a: T, b: T) => T): T | undefined {
  return a === undefined ? b : b === undefined ? a : join(a, b);
}

function withReject(decisions: readonly DecisionType[] | undefined): DecisionType[] | undefined {
  return decisions === undefined ? undefined : inOrder([...decisions, "reject"]);
}

function inOrder(decisions: readonly DecisionType[]): DecisionType[] {
  return ALL_DECISIONS.filter((decision) => decisions.includes(decision));
}

function toMs(timeout: string | undefined): number | undefined {
  return timeout === undefined ? undefined : parseDuration(timeout);
}
