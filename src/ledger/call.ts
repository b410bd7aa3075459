import type { Tier } from "../policy/index.ts";
import type { Approval } from "./approval.ts";
import { escalatedTo } from "./clock.ts";
import type { Args } from "./decision.ts";
import type { CallTake } from "./take.ts";
import type { Authority, LedgerEvent, Outcome } from "./event.ts";
import { groupId } from "./group.ts";

/** One attempt to run a cleared call. */
export interface Execution {
  attempt: number;
  args: Args;
  args_digest: string;
  authority: Authority;
  owner: string;
  is_safe: boolean;
  state: "started" | "paused" | "succeeded" | "failed" | "unknown";
  started_at: string;
  finished_at: string | null;
  error: string | null;
}

/** All the ledger knows of one call occurrence. Built by {@link evolve}, never changed in place. */
export interface Call {
  call_id: string;
  thread_id: string;
  run_id: string | null;
  graph_id: string | null;
  assistant_id: string | null;
  path: string;
  tool_call_id: string;
  turn_id: string;
  tool: string;
  args: Args;
  args_digest: string;
  tier: Tier;
  rules: string[];
  requested_by: string | null;
  /** The masks of the policy that the call was begun under. */
  mask: string[];
  /** Those of them that only overlays had. */
  mask_added: string[];
  announced: boolean;
  approvals: Approval[];
  /** What its questions took, in their order. */
  takes: CallTake[];
  executions: Execution[];
  result: { ok: boolean; outcome: Outcome; text: string } | null;
  /** How many events it has. */
  version: number;
}

/** The approval asked last, if any. */
export function lastApproval(call: Call): Approval | undefined {
  return call.approvals.at(-1);
}

/** The approval of that id, if it is one of the call's. */
export function approvalIn(call: Call, approval_id: string): Approval | undefined {
  return call.approvals.find((one) => one.approval_id === approval_id);
}

/** What each event of a call names. */
export function namesOf({ tool_call_id, tool }: Call): { tool_call_id: string; tool: string } {
  return { tool_call_id, tool };
}

/** The execution begun last, if any. */
export function lastExecution(call: Call): Execution | undefined {
  return call.executions.at(-1);
}

/**
 * What a call is after one more of its events.
 *
 * @throws {TypeError} when the first event is not `tool_call_started`, or an event names what the call does not have:
 *   such a history was not written by this ledger.
 */
export function evolve(call: Call | null, event: LedgerEvent): Call {
  if (call === null) return begin(event);
  return { ...apply(call, event), version: call.version + 1 };
}

function begin(event: LedgerEvent): Call {
  if (event.type !== "tool_call_started" || event.call_id === null) {
    throw new TypeError(`A call begins with "tool_call_started", not with "${event.type}".`);
  }
  const { data, call_id, thread_id, run_id } = event;
  const { tool_call_id, turn_id, tool, args, args_digest, tier, rules, path, graph_id, assistant_id } = data;
  const { requested_by = null, mask = [], mask_added = [] } = data;
  return {
    ...{
      call_id,
      thread_id,
      run_id,
      graph_id,
      assistant_id,
      path,
      tool_call_id,
      turn_id,
      tool,
      args,
      args_digest,
    },
    ...{
      tier,
      rules,
      requested_by,
      mask,
      mask_added,
      announced: false,
      approvals: [],
      takes: [],
      executions: [],
      result: null,
      version: 1,
    },
  };
}

function apply(call: Call, event: LedgerEvent): Call {
  switch (event.type) {
    case "approval_requested":
      if (event.data.announced) return { ...call, announced: true };
      return {
        ...call,
        approvals: [...call.approvals, opened(call, event)],
        takes: [...call.takes, ...taken(event)],
      };
    case "approval_shown":
      return withApproval(call, event.data.approval_id, (one) => ({
        ...one,
        first_shown_at: one.first_shown_at ?? event.at,
      }));
    case "approval_resolved": {
      const { approval_id, status, decision } = event.data;
      return withApproval(call, approval_id, (one) => {
        // The vote that was still missing is one of them.
        const isVote = one.quorum > 1 && status === "approved";
        return { ...one, status, decision, votes: isVote ? [...one.votes, decision] : one.votes };
      });
    }
    case "vote_cast": {
      const { approval_id, decision } = event.data;
      return withApproval(call, approval_id, (one) => ({ ...one, votes: [...one.votes, decision] }));
    }
    case "approval_escalated": {
      const { data } = event;
      return withApproval(call, data.approval_id, (one) => escalatedTo(one, data));
    }
    case "approval_warned":
      return withApproval(call, event.data.approval_id, (one) => ({ ...one, warned_at: event.at }));
    case "execution_started":
      return ran(call, event);
    case "execution_paused":
      return withExecution(call, event.data.attempt, { state: "paused" });
    case "execution_resumed":
      return withExecution(call, event.data.attempt, { state: "started", owner: event.data.owner });
    case "execution_finished": {
      const { attempt, state, error } = event.data;
      return withExecution(call, attempt, { state, error, finished_at: event.at });
    }
    case "execution_blocked": {
      const { approval_id, error, next_approval_id } = event.data;
      return withApproval(call, approval_id, (one) => ({
        ...one,
        next_approval_id,
        execution: { state: "blocked", finished_at: event.at, error },
      }));
    }
    case "tool_result": {
      const { ok, outcome, result, error } = event.data;
      return { ...call, result: { ok, outcome, text: result ?? error ?? "" } };
    }
    case "grant_made":
    case "reviewer_answered":
      return call;
    case "grant_revoked":
    case "tool_call_started":
    case "run_started":
    case "run_stopped":
    case "mode_set":
    case "thread_erased":
      throw new TypeError(`"${event.type}" cannot happen to a call that has begun.`);
  }
}

function taken({ data, at }: LedgerEvent & { type: "approval_requested" }): CallTake[] {
  const { approval_id, takes = [] } = data;
  return takes.map((take) => ({ ...take, approval_id, at }));
}

function opened(call: Call, event: LedgerEvent & { type: "approval_requested" }): Approval {
  const { announced: _announced, takes: _takes, ...data } = event.data;
  const { quorum = 1, by = [], reviewers = null, separate_duties = false } = data;
  const { on_timeout = "reject", escalate = [] } = data;
  const { call_id, thread_id, run_id, graph_id, assistant_id, path, requested_by, mask } = call;
  return {
    ...data,
    group_id: groupId(data),
    ...{ call_id, thread_id, run_id: event.run_id ?? run_id, graph_id, assistant_id, path },
    ...{ requested_by, mask, quorum, by, reviewers, separate_duties },
    ...{ on_timeout, escalate, escalated: 0, warned_at: null },
    requested_at: event.at,
    first_shown_at: null,
    status: "pending",
    decision: null,
    votes: [],
    next_approval_id: null,
    execution: { state: "none" },
  };
}

function ran(call: Call, event: LedgerEvent & { type: "execution_started" }): Call {
  const { attempt, args, args_digest, authority, owner, is_safe } = event.data;
  const execution: Execution = {
    ...{ attempt, args, args_digest, authority, owner, is_safe },
    ...{ state: "started", started_at: event.at, finished_at: null, error: null },
  };
  return shown({ ...call, executions: [...call.executions, execution] }, execution);
}

function withExecution(call: Call, attempt: number, change: Partial<Execution>): Call {
  const old = call.executions.find((one) => one.attempt === attempt);
  if (old === undefined) throw new TypeError(`Call ${call.call_id} has no execution ${attempt}.`);
  const next = { ...old, ...change };
  return shown({ ...call, executions: call.executions.map((one) => (one === old ? next : one)) }, next);
}

/** The approval that allowed an execution shows how it went. */
function shown(call: Call, execution: Execution): Call {
  const { authority, state, started_at, finished_at, error } = execution;
  if (authority.kind !== "approval") return call;
  const view = { state, started_at, ...(finished_at && { finished_at }), ...(error && { error }) };
  return withApproval(call, authority.approval_id, (one) => ({ ...one, execution: view }));
}

function withApproval(call: Call, approval_id: string, change: (one: Approval) => Approval): Call {
  if (!call.approvals.some((one) => one.approval_id === approval_id)) {
    throw new TypeError(`Call ${call.call_id} has no approval ${approval_id}.`);
  }
  return {
    ...call,
    approvals: call.approvals.map((one) => (one.approval_id === approval_id ? change(one) : one)),
  };
}
