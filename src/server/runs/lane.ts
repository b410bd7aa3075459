import type { Resumed } from "../../desk/index.ts";
import type { Approval } from "../../ledger/index.ts";
import type { Drain } from "./run-ports.ts";
import type { PreparedRun } from "./run-record.ts";
import type { Run } from "./run.ts";

/** A client's answer that came while a run was live: the next run is its. */
export interface QueuedAnswer {
  prepared: PreparedRun;
}

/** What goes on on one thread: one run at a time, and what has come for the next one. */
export class Lane {
  readonly thread_id: string;
  /** The run that is live, and how to drain it; `null` while the lane is being prepared. */
  current: { run: Run; drain: Drain } | null = null;
  queued: QueuedAnswer | null = null;
  /** Settled approvals that have come for the next entry, by id. */
  woken = new Map<string, Approval>();
  /** While a wake-up prepares a run, others that come at the same time belong to it. */
  waking: Promise<Resumed> | null = null;
  /** Approvals that an entry has brought already. */
  readonly tried = new Set<string>();
  /** The runs that answers began, by the answer's digest. */
  readonly answers = new Map<string, Run>();
  /** Resolves when nothing goes on any more. */
  readonly idle: Promise<void>;
  #close!: () => void;

  constructor(thread_id: string) {
    this.thread_id = thread_id;
    this.idle = new Promise((resolve) => (this.#close = resolve));
  }

  /** Whether something has come that needs another run. */
  get hasMore(): boolean {
    return this.queued !== null || this.woken.size > 0;
  }

  /** Takes the settled approvals that have come so far: those of our gate as an entry brings them. */
  takeWoken(): { approvals: Map<string, string>; hasQuestions: boolean } {
    const approvals = new Map<string, string>();
    let hasQuestions = false;
    for (const { approval_id, kind, interrupt_id, asked_by } of this.woken.values()) {
      if (kind === "interrupt") hasQuestions = true;
      else if (interrupt_id !== null && asked_by === "interrupt") approvals.set(interrupt_id, approval_id);
    }
    this.woken = new Map();
    return { approvals, hasQuestions };
  }

  close(): void {
    this.#close();
  }
}
