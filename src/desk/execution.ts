import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import {
  lastExecution,
  type Args,
  type Authority,
  type Call,
  type Command,
  type Ledger,
} from "../ledger/index.ts";
import { changeCall, type Changed, type Target } from "./change.ts";
import { isoTime, targetOf } from "./ports.ts";

/** How long a claim holds without a sign of life, in milliseconds. After a crash this passes before `unknown`. */
export const LEASE_MS = 5_000;

/** How far the clocks of two machines on one store may be apart, in milliseconds. */
const SKEW_MS = 60_000;

export interface Claim {
  tool: string;
  args: Args;
  args_digest: string;
  authority: Authority;
  is_safe: boolean;
}

/** What came of wanting to run a call. `mine`: run it now, then call `release`. */
export type Claimed =
  | { state: "mine"; call: Call; changed: Changed; release: () => void }
  /** Somebody else ran it, or it needs another question first. */
  | { state: "standing"; call: Call };

/**
 * The claims that this process holds: one execution, one claim. A claim is renewed while the tool runs, so that other
 * processes can tell a running tool from a dead one.
 */
export class Executions {
  readonly owner = `own_${randomUUID()}`;
  readonly #ledger: Ledger;
  readonly #clock: () => number;
  /** What runs here, or is just being claimed. A list, since two entries may try for one call at once. */
  readonly #running = new Map<string, Promise<void>[]>();

  constructor(ledger: Ledger, clock: () => number) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Claims a call; `before` are commands that belong into the same step, such as its start. */
  async claim(
    target: Target,
    claim: Claim,
    {
      before = [],
      known,
      at = isoTime(this.#clock),
    }: { before?: Command[]; known?: Call | null; at?: string } = {},
  ): Promise<Claimed> {
    const command: Command = { type: "claim", ...claim, owner: this.owner };
    const release = this.#hold(target.call_id);
    const changed = await changeCall(this.#ledger, target, at, {
      commands: [...before, command],
      lease: this.#lease(),
      ...(known !== undefined && { known }),
    }).catch((error: unknown) => {
      release();
      throw error;
    });
    return this.#outcome(changed, release);
  }

  /** Takes a paused execution up again, under the claim it has. */
  async resume(call: Call): Promise<Claimed> {
    const release = this.#hold(call.call_id);
    const changed = await changeCall(this.#ledger, targetOf(call), isoTime(this.#clock), {
      commands: [{ type: "resume", owner: this.owner }],
      lease: this.#lease(),
      known: call,
    }).catch((error: unknown) => {
      release();
      throw error;
    });
    return this.#outcome(changed, release);
  }

  /**
   * Waits until a call that is running somewhere has ended or its runner is gone, and returns the call as it is then.
   * An execution whose runner is gone is `unknown` from now on.
   */
  async outlast(call: Call): Promise<Call> {
    let current = call;
    const seen = { until: "", since: performance.now() };
    while (lastExecution(current)?.state === "started") {
      const here = this.#running.get(call.call_id)?.at(-1);
      if (here) await here;
      else if (await this.#isAlive(current, seen)) await setTimeout(100);
      else {
        const unknown: Command = {
          type: "finish",
          state: "unknown",
          error: "The process that ran it is gone.",
        };
        const at = isoTime(this.#clock);
        const changed = await changeCall(this.#ledger, targetOf(current), at, {
          commands: [unknown],
          known: current,
        });
        return changed.call ?? current;
      }
      current = (await this.#ledger.call(call.call_id)) ?? current;
    }
    return current;
  }

  /** Resolves when nothing runs here any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].flat());
  }

  #outcome(changed: Changed, release: () => void): Claimed {
    const call = changed.call as Call;
    if (!changed.refusal) return { state: "mine", call, changed, release };
    release();
    return { state: "standing", call };
  }

  /**
   * Whether whoever runs a call still renews the claim. That is seen by a watch of this process's own, since the clocks
   * of two machines may differ; only what has lapsed for long is known for dead at once.
   */
  async #isAlive(call: Call, seen: { until: string; since: number }): Promise<boolean> {
    const lease = await this.#ledger.lease(call.call_id);
    // Held by this process and not running here: it ended without being recorded.
    if (lease === null || lease.owner === this.owner) return false;
    const now = performance.now();
    if (lease.until !== seen.until) Object.assign(seen, { until: lease.until, since: now });
    const isOld = lease.until < isoTime(() => Date.now() - SKEW_MS);
    return !isOld && now - seen.since <= LEASE_MS;
  }

  // Leases are about processes, so they follow the real clock, whatever clock deadlines follow.
  #lease(): { owner: string; until: string } {
    return { owner: this.owner, until: new Date(Date.now() + LEASE_MS).toISOString() };
  }

  #hold(call_id: string): () => void {
    let done = (): void => undefined;
    const running = new Promise<void>((resolve) => (done = resolve));
    this.#running.set(call_id, [...(this.#running.get(call_id) ?? []), running]);
    const renewal = setInterval(() => {
      // A renewal that fails is tried again; only a claim that lapses for good becomes unknown to others.
      this.#ledger.renewLease(call_id, this.#lease()).catch(() => undefined);
    }, LEASE_MS / 4);
    renewal.unref();
    return () => {
      clearInterval(renewal);
      const others = (this.#running.get(call_id) ?? []).filter((one) => one !== running);
      if (others.length > 0) this.#running.set(call_id, others);
      else this.#running.delete(call_id);
      done();
    };
  }
}
