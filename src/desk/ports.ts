import type { Approval, Call, MasksOf } from "../ledger/index.ts";

/** What the desk needs of the world. Each has a working default. */
export interface DeskPorts {
  /** Milliseconds since 1970. */
  clock: () => number;
  /**
   * Lets the run go on after an approval was settled. What it throws cannot undo the decision: it is reported to
   * `onError` and the run stays where it was.
   */
  resume: (approval: Approval) => Promise<Resumed>;
  onError: (error: unknown) => void;
  /** The masks that a graph's policy has now. Those that a call was begun under hold in any case. */
  masksOf: MasksOf;
}

/** Whether the run goes on now; `false` when it is queued behind the running one, or nobody runs it here. */
export interface Resumed {
  run_id: string | null;
  resumed: boolean;
}

export const DEFAULT_PORTS: DeskPorts = {
  clock: Date.now,
  resume: () => Promise.resolve({ run_id: null, resumed: false }),
  onError: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
  masksOf: () => [],
};

/** The time of a clock as the ledger writes it: ISO 8601 with milliseconds, UTC. */
export function isoTime(clock: () => number): string {
  return new Date(clock()).toISOString();
}

/** The target of a change to a call that is known. */
export function targetOf({ call_id, thread_id, run_id }: Call): {
  call_id: string;
  thread_id: string;
  run_id: string | null;
} {
  return { call_id, thread_id, run_id };
}
