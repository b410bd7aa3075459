import type { Allowance } from "./allowance.ts";
import type { AutomaticReviewer } from "./automatic-reviewer.ts";
import type { Budget } from "./budget.ts";
import type { Grants } from "./grants.ts";
import type { Group } from "./groups.ts";
import type { Repeat } from "./repeat.ts";
import type { RubberStamp } from "./rubber-stamp.ts";
import type { DecisionType, Mode, Tier } from "./tier.ts";

/** What is known of a tool. */
export interface ToolFacts {
  name: string;
  /** The author's word. Annotations of a protocol are hints and never count as this. */
  declared?: Tier | undefined;
  annotations?: ToolAnnotations | undefined;
  /** The argument names that the tool's schema declares at its top level; undefined when its schema is not known. */
  fields?: readonly string[] | undefined;
}

/** The hints of the Model Context Protocol. */
export interface ToolAnnotations {
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** One call of a tool, as the model made it. */
export interface PolicyCall {
  name: string;
  args: Record<string, unknown>;
}

/** What a judgement must know of the world, looked up beforehand so that judging stays pure. */
export interface Facts {
  /** The tool; undefined when nothing is known of it, which is judged as `approve` at least. */
  tool?: ToolFacts | undefined;
  /** The arguments that reach the tool, after its schema's defaults; read in place of the call's own when given. */
  args?: Record<string, unknown> | undefined;
  /**
   * For the dot path of an argument: its path relative to the workspace root, normalised and with links followed, with
   * `/` between segments and `""` for the root itself; null when it leaves the workspace. Absent: not looked up.
   */
  paths?: Record<string, string | null> | undefined;
}

/** How one call is asked about. */
export interface EffectiveReview {
  ask: "together" | "one-by-one";
  onNewInput: "refuse" | "withdraw";
  decisions: DecisionType[];
  timeoutMs: number;
  /** `approve` only where the base tier and the policy allow it. */
  onTimeout: "reject" | "escalate" | "approve";
  /** The groups that a question goes to, one after the other. */
  escalate: Group[];
  quorum: number;
  separateDuties: boolean;
  /** Lists of groups, in one group of each of which a reviewer must be. */
  by: string[][];
  /** The ids of those who may decide; `null`: everybody who reviews. */
  reviewers: string[] | null;
  requireReason: DecisionType[];
  remember: boolean;
}

/** What a policy says of one call. */
export interface Verdict {
  tier: Tier;
  /** The ids of the rules that count, sorted. */
  rules: string[];
  /** Why, in words for a person. Names rules and arguments, never an argument's value. */
  why: string;
  /** The `reason` of the rules that decided the tier. */
  reason?: string;
  /** The tier without any rule: declared risk, else annotations, else the policy's default. */
  base: Tier;
  mode: Mode;
  review: EffectiveReview;
  /** What of a decision may be remembered at most; nothing where `review.remember` says so. */
  grants: Grants;
  repeat: Repeat;
  /** All of them hold. */
  budgets: Budget[];
  /** Those that name the tool. */
  allowances: Allowance[];
  /** Who is asked before a person, in this order. */
  reviewers: AutomaticReviewer[];
  rubberStamp: RubberStamp | null;
}
