import { setTimeout as wait } from "node:timers/promises";
import type { LedgerEvent } from "../../ledger/index.ts";
import { isDecided } from "../runs/left-decisions.ts";
import { adoptWaiting, recoverBusy, recoverCancelled, takeUp } from "../runs/recovery.ts";
import type { RunManager } from "../runs/run-manager.ts";
import type { RunPorts } from "../runs/run-ports.ts";
import { BEAT_MS, type Processes } from "./processes.ts";
import type { Tail } from "./tail.ts";

/** How often news of other processes are looked for, in milliseconds. */
const LOOK_MS = 250;
/** How long a decision is left to whoever took it, before another process acts upon it; in milliseconds. */
const GRACE_MS = 3_000;

/** The duty of the process that keeps deadlines and ends of life for all. */
export const SWEEPER = "sweeper";

export interface UpkeepParts {
  ports: RunPorts;
  manager: RunManager;
  processes: Processes;
  tail: Tail;
  /** Is called once when other processes have taken this one for gone, as after the machine was asleep. */
  onLost: () => void;
  /** Is called when another process is gone, and its runs are taken up. */
  onGone: () => Promise<void>;
}

/**
 * Does for as long as it runs what a start does once: takes up runs whose process is gone, and acts upon decisions that
 * nobody acted upon. Returns how to stop; stopping waits for what is under way.
 */
export function keepUp(parts: UpkeepParts): () => Promise<void> {
  const { ports, manager, processes, tail, onLost, onGone } = parts;
  const stopping = new AbortController();
  const decided = new Map<string, number>();
  const note = (events: readonly LedgerEvent[]): void => {
    for (const { type, call_id } of events)
      if (type === "approval_resolved" && call_id !== null)
        decided.set(call_id, performance.now() + GRACE_MS);
  };
  const stopNoting = ports.ledger.subscribe(note);
  const stopHearing = tail.subscribe((events) => {
    note(events);
    for (const event of events) if (event.type === "approval_resolved") wakeLive(parts, event);
  });

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!stopping.signal.aborted) ports.onError(error);
    }
  };
  let lost = false;
  const beat = async (): Promise<void> => {
    if (!(await processes.beat()) && !lost) {
      lost = true;
      onLost();
      return;
    }
    if ((await processes.look()) > 0) {
      await recoverCancelled(ports, manager);
      await adoptWaiting(ports, manager);
      await onGone();
    }
    await processes.takeDuty(SWEEPER);
    await recoverBusy(ports, manager);
  };
  const run = async (): Promise<void> => {
    for (let next = 0; !stopping.signal.aborted;) {
      await attempt(() => tail.look());
      await attempt(() => manager.look());
      await attempt(() => actUpon(parts, decided));
      if (performance.now() >= next) {
        await attempt(beat);
        next = performance.now() + BEAT_MS;
      }
      await wait(LOOK_MS, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    stopNoting();
    stopHearing();
    stopping.abort();
    await running;
  };
}

/** A run of this process hears of a decision that was taken in another one. */
function wakeLive({ ports, manager }: UpkeepParts, event: LedgerEvent & { type: "approval_resolved" }): void {
  const { thread_id, data } = event;
  if (!manager.isLive(thread_id)) return;
  const wake = async (): Promise<void> => {
    const approval = await ports.ledger.approval(data.approval_id);
    if (approval) await manager.wake(approval);
  };
  wake().catch((error: unknown) => ports.onError(error));
}

/** Lets threads go on with decisions that nothing has acted upon by now. Each decision is tried once. */
async function actUpon({ ports, manager }: UpkeepParts, decided: Map<string, number>): Promise<void> {
  const due = [...decided].filter(([, at]) => at <= performance.now());
  for (const [call_id] of due) {
    decided.delete(call_id);
    const call = await ports.ledger.call(call_id);
    if (call === null || !isDecided(call) || (await manager.isBusy(call.thread_id))) continue;
    const row = await ports.threads.get(call.thread_id);
    const newest = row?.run_id ? await ports.runs.get(row.run_id) : undefined;
    // One that has failed is tried again when somebody says so, or at the next start.
    if (row && newest?.status !== "error") await takeUp(ports, manager, call.thread_id);
  }
}
