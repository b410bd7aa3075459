import { strictestMode, type DecisionType, type Mode, type Tier } from "./tier.ts";
import type { Allowance } from "./allowance.ts";
import type { AutomaticReviewer } from "./automatic-reviewer.ts";
import type { Budget } from "./budget.ts";
import type { Rule } from "./document.ts";
import type { FatigueInput } from "./fatigue-document.ts";
import type { Grants, GrantsInput } from "./grants.ts";
import type { Groups } from "./people-document.ts";
import type { Repeat } from "./repeat.ts";
import type { ReviewInput } from "./review-document.ts";
import type { RubberStamp } from "./rubber-stamp.ts";

/** How calls are asked about, with every default filled in. */
export interface Review {
  ask: "together" | "one-by-one";
  onNewInput: "refuse" | "withdraw";
  decisions: DecisionType[];
  timeout: string;
  onTimeout: "reject" | "escalate" | "approve";
  allowTimeoutApproval: boolean;
  escalate: string[];
  quorum: number;
  separateDuties: boolean;
  by: string[] | string[][];
  requireReason: DecisionType[];
  remember: boolean;
}

/** A partial policy that can only tighten: only what it states counts. Plain JSON, so that it can be kept in a state. */
export interface PolicyOverlay {
  mode?: Mode;
  default?: Tier;
  rules?: Rule[];
  review?: ReviewInput;
  grants?: GrantsInput;
  fatigue?: FatigueInput;
  mask?: string[];
}

/** A parsed policy: plain JSON, frozen, defaults filled in. `overlay` is what `combine` has put on top of it. */
export interface Policy {
  version: 1;
  mode: Mode;
  default: Tier;
  rules: Rule[];
  review: Review;
  grants: Grants;
  repeat: Repeat;
  /** At most one of its own. */
  budgets: Budget[];
  allowances: Allowance[];
  reviewers: AutomaticReviewer[];
  groups: Groups;
  rubberStamp: RubberStamp | null;
  /** Dot paths of arguments that people do not see; absent when there are none. */
  mask?: string[];
  overlay?: PolicyOverlay;
}

/** The mode that a policy is in, with what overlays have tightened. */
export function modeOf({ mode, overlay }: Policy): Mode {
  return strictestMode(mode, overlay?.mode ?? mode);
}

const parsed = new WeakSet<object>();

/** Remembers that a policy came out of this room whole, so that it need not be parsed again. */
export function markParsed(policy: Policy): Policy {
  parsed.add(policy);
  return policy;
}

/** Whether a value is a policy that came out of this room, and not only something of its shape. */
export function isParsed(value: unknown): value is Policy {
  return typeof value === "object" && value !== null && parsed.has(value);
}
