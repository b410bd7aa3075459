import type {
  Approval,
  DecidedBy,
  EventQuery,
  Grant,
  GrantQuery,
  Ledger,
  LedgerEvent,
  RecordedEvent,
  Verification,
} from "../ledger/index.ts";
import type { Mode } from "../policy/index.ts";
import { changeCall } from "./change.ts";
import { DeskError } from "./error.ts";
import { withFriction } from "./friction.ts";
import { readFatigue } from "./figures/fatigue.ts";
import type { Fatigue } from "./figures/figures.ts";
import { listApprovals, type ApprovalList, type ListQuery } from "./list-approvals.ts";
import { maskedDesk } from "./masked-desk.ts";
import { DEFAULT_PORTS, isoTime, targetOf, type DeskPorts, type Resumed } from "./ports.ts";
import {
  approvalIn,
  callFor,
  keepClock,
  refused,
  settle,
  settleAll,
  withdraw,
  type Given,
} from "./settle.ts";
import { revoke } from "./revoke.ts";
import { modeOfThread, setThreadMode, type ThreadMode } from "./thread-mode.ts";
import { untilSettled } from "./wait.ts";

/** An approval after a decision, and whether its run goes on now. It is still `pending` where more people must approve. */
export interface Settled extends Resumed {
  approval: Approval;
}

/** Where questions are listed and answered. What the server's routes do, without HTTP. */
export interface Desk {
  /**
   * Approvals, oldest first; `status` defaults to `pending`. To an `isDecider` an open question shows what only overlays
   * mask; here and below.
   */
  list(query?: ListQuery, options?: { isDecider?: boolean }): Promise<ApprovalList>;
  /**
   * One approval. With `waitMs` the answer is held until it is settled, at most so long; with `by` it says what friction
   * that person gets for it. @throws {DeskError}
   */
  get(
    approval_id: string,
    options?: { waitMs?: number; by?: DecidedBy; isDecider?: boolean },
  ): Promise<Approval>;
  /** Takes one decision and lets the run go on, unless others must approve, too. The first valid one wins. @throws {DeskError} */
  decide(approval_id: string, decision: unknown, options?: { by?: DecidedBy }): Promise<Settled>;
  /** Takes several decisions, all or none. @throws {DeskError} */
  decideAll(given: readonly Given[], options?: { by?: DecidedBy }): Promise<Settled[]>;
  /** Withdraws a question: `cancelled`. The call is not run. @throws {DeskError} */
  withdraw(approval_id: string, options?: { by?: DecidedBy; reason?: string }): Promise<Settled>;
  /** A person has it before the eyes. Only the first time counts. @throws {DeskError} `unknown_approval` */
  shown(approval_id: string, options?: { isDecider?: boolean }): Promise<Approval>;
  /** Remembered decisions, oldest first; `status` defaults to `active`: those that hold, or wait for their call. */
  grants(query?: Partial<GrantQuery>): Promise<{ grants: Grant[]; next_cursor: string | null }>;
  /** Forgets a decision: it decides nothing from now on, in every process. @throws {DeskError} `unknown_grant` */
  revoke(grant_id: string, options?: { by?: DecidedBy; reason?: string }): Promise<Grant>;
  /** The mode that a thread has of its own. */
  mode(thread_id: string): Promise<ThreadMode>;
  /**
   * Sets the thread's own mode, which holds from the next judgement on, wherever the thread runs on this ledger; never
   * milder than what policy and run say. Questions that are open stay open. With `onlyTighten` a milder one than it
   * has is refused. @throws {DeskError} `forbidden`
   */
  setMode(
    thread_id: string,
    mode: Mode,
    options?: { by?: DecidedBy; onlyTighten?: boolean },
  ): Promise<ThreadMode>;
  /** Does what the clocks call for: warns, goes on to the next groups, ends what nobody answered, and lets those runs go on. Returns how many have ended. */
  expireDue(): Promise<number>;
  /** The ledger, in order, without what was erased. */
  audit(query?: EventQuery): Promise<{ events: LedgerEvent[]; next_after: number | null }>;
  /** The same with events that were erased: they have no `data`. */
  record(query?: EventQuery): Promise<{ events: RecordedEvent[]; next_after: number | null }>;
  verify(options?: { head?: string; thread_id?: string }): Promise<Verification>;
  /** How reviewers fare: how often they were asked and how they decided. `lastMs`: how far back; default: 7 days. */
  fatigue(options?: { lastMs?: number }): Promise<Fatigue>;
}

const ANYBODY: DecidedBy = { kind: "user" };
const AUDIT_PAGE = 1_000;
const WEEK = 7 * 24 * 3_600_000;

/**
 * Opens the desk of a ledger. What policy masks is not in what the desk gives back.
 *
 * Without a `resume` port decisions are written and the graph goes on when it is entered the next time.
 */
export function openDesk(ledger: Ledger, ports: Partial<DeskPorts> = {}): Desk {
  const { clock, resume, onError, masksOf } = { ...DEFAULT_PORTS, ...ports };

  // A decision stands once it is written. What follows from it may fail and be tried again.
  const follow = async (approval: Approval): Promise<Settled> => {
    if (approval.status === "pending") return { approval, run_id: approval.run_id, resumed: false };
    try {
      return { approval, ...(await resume(approval)) };
    } catch (error) {
      onError(error);
      return { approval, run_id: approval.run_id, resumed: false };
    }
  };

  const desk: Desk = {
    list: (query = {}) => listApprovals(ledger, { status: "pending", ...query }),

    async get(approval_id, { waitMs = 0, by } = {}) {
      const approval = await read(ledger, approval_id, waitMs);
      return by === undefined ? approval : withFriction(ledger, approval, by, isoTime(clock));
    },

    async decide(approval_id, decision, { by = ANYBODY } = {}) {
      try {
        return await follow(await settle(ledger, clock, { approval_id, decision }, by, masksOf));
      } catch (error) {
        // A late decision finds the question ended by its clock, so the run can go on all the same.
        if (error instanceof DeskError && isOfClock(error.approval)) await follow(error.approval);
        throw error;
      }
    },

    async decideAll(given, { by = ANYBODY } = {}) {
      const settled = await settleAll(ledger, clock, given, by, masksOf);
      return Promise.all(settled.map(follow));
    },

    async withdraw(approval_id, { by = ANYBODY, reason } = {}) {
      return follow(await withdraw(ledger, clock, approval_id, by, reason));
    },

    async shown(approval_id) {
      const call = await callFor(ledger, approval_id);
      const change = { commands: [{ type: "show" as const, approval_id }], known: call };
      const changed = await changeCall(ledger, targetOf(call), isoTime(clock), change);
      const approval = approvalIn(changed.call ?? call, approval_id);
      if (changed.refusal) throw refused(changed.refusal, approval);
      return approval;
    },

    grants: (query = {}) => ledger.remembered.grants({ status: "active", at: isoTime(clock), ...query }),

    revoke: (grant_id, options = {}) => revoke(ledger, clock, grant_id, { by: ANYBODY, ...options }),

    mode: (thread_id) => modeOfThread(ledger, thread_id),

    setMode: (thread_id, mode, options = {}) =>
      setThreadMode(ledger, clock, { thread_id, mode, by: ANYBODY, ...options }),

    async expireDue() {
      const due = await ledger.due(isoTime(clock), 1_000);
      let count = 0;
      for (const { approval_id } of due) {
        // Somebody may decide it in this very moment: then that stands.
        const approval = await keepClock(ledger, clock, approval_id).catch(() => null);
        if (approval === null || approval.status === "pending") continue;
        count += 1;
        await follow(approval);
      }
      return count;
    },

    async audit(query = {}) {
      const limit = query.limit ?? AUDIT_PAGE;
      return pageOf(await ledger.events({ ...query, limit }), limit);
    },

    async record(query = {}) {
      const limit = query.limit ?? AUDIT_PAGE;
      return pageOf(await ledger.record({ ...query, limit }), limit);
    },

    verify: (options) => ledger.verify(options),

    fatigue: ({ lastMs = WEEK } = {}) => readFatigue(ledger, { from: clock() - lastMs, to: clock() }),
  };
  return maskedDesk(desk, ledger, masksOf);
}

/** Whether the time of an approval was up and nobody had decided it. */
function isOfClock(approval: Approval | undefined): approval is Approval {
  return approval?.decision?.decided_by.kind === "timeout";
}

async function read(ledger: Ledger, approval_id: string, waitMs: number): Promise<Approval> {
  const approval = approvalIn(await callFor(ledger, approval_id), approval_id);
  const isAwaited = waitMs > 0 && approval.status === "pending";
  return isAwaited ? untilSettled(ledger, approval_id, waitMs) : approval;
}

function pageOf<Event extends { seq: number }>(events: Event[], limit: number) {
  const last = events.at(-1);
  return { events, next_after: last !== undefined && events.length === limit ? last.seq : null };
}
