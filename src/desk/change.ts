import {
  decide,
  evolve,
  versionOf,
  type Batch,
  type Call,
  type Command,
  type Ledger,
  type LedgerEvent,
  type Lease,
  type Limit,
  type NewEvent,
  type Refusal,
} from "../ledger/index.ts";

/** Which call is meant, and in whose name its events are written. */
export interface Target {
  call_id: string;
  thread_id: string;
  run_id: string | null;
}

/** A call after the commands, and the first refusal there was. Events before it are written all the same. */
export interface Changed {
  call: Call | null;
  refusal?: Refusal;
  events: LedgerEvent[];
}

export interface Change {
  commands: Command[];
  /** The call as it was last seen. Only saves reading it: a version that has passed is noticed. */
  known?: Call | null;
  lease?: Lease;
  /** See {@link Batch.force}. */
  force?: boolean;
  /** The grant that decides here: see {@link Batch.uses_grant}. */
  uses_grant?: string;
  /** See {@link Batch.limits}. */
  limits?: Limit[];
}

/**
 * Puts commands to a call, one after the other, and writes what follows from them in one step. When somebody else
 * writes to the call meanwhile, everything is decided anew.
 */
export async function changeCall(
  ledger: Ledger,
  target: Target,
  at: string,
  change: Change,
): Promise<Changed> {
  let known = change.known;
  for (;;) {
    const call = known === undefined ? await ledger.call(target.call_id) : known;
    const plan = planOf(call, target, at, change);
    if (plan.batch === null) return { call, events: [], ...plan.refused };
    const appended = await ledger.append(plan.batch);
    if (appended.ok) return { call: appended.call, events: appended.events, ...plan.refused };
    if (appended.isSpent) return { call, events: [], refusal: { code: "grant_spent" } };
    if (appended.full) return { call, events: [], refusal: { code: "no_room", limit: appended.full } };
    known = undefined;
  }
}

/** A batch for {@link Ledger.appendAll}, `null` when the commands lead to nothing, and the call as it will be then. */
export function planOf(
  call: Call | null,
  target: Target,
  at: string,
  { commands, lease, force, uses_grant, limits }: Change,
): { batch: Batch | null; call: Call | null; refused: { refusal?: Refusal } } {
  const events: NewEvent[] = [];
  let next = call;
  let refused: { refusal?: Refusal } = {};
  for (const command of commands) {
    const verdicts = decide(next, command, at);
    for (const event of verdicts.events) {
      next = evolve(next, provisional(event, target, at));
      events.push(event);
    }
    if (verdicts.refusal) {
      refused = { refusal: verdicts.refusal };
      break;
    }
  }
  if (events.length === 0) return { batch: null, call, refused };
  const { call_id, thread_id, run_id } = target;
  const expected = { call_id, expected_version: call?.version ?? 0 };
  // A lease belongs to an execution: when the claim was refused, there is nothing to hold.
  const held = lease && !refused.refusal ? { lease } : {};
  const forced = force === undefined ? {} : { force };
  const used = uses_grant === undefined ? {} : { uses_grant };
  const bounded = limits === undefined ? {} : { limits };
  const batch = { at, thread_id, run_id, call: expected, events, ...held, ...forced, ...used, ...bounded };
  return { batch, call: next, refused };
}

/** An event as if it stood in the ledger already, for deciding what comes after it in the same step. */
function provisional(event: NewEvent, { call_id, thread_id, run_id }: Target, at: string): LedgerEvent {
  return { ...event, v: versionOf(event), seq: 0, thread_seq: 0, at, thread_id, run_id, call_id, hash: "" };
}
