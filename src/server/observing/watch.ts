import type { Approval, Call, Ledger, LedgerEvent } from "../../ledger/index.ts";

/** An event of the ledger with what came before it. Times in milliseconds since 1970. */
export interface Happened {
  event: LedgerEvent;
  at: number;
  /** When what ends with this event began: a run, a question, a call. `null` for all others, and where nobody knows. */
  began: number | null;
  /** The run in which it began. */
  run_id: string | null;
  /** The call's tier; of a result only. */
  tier: string | null;
  /** How long the call's last execution took; of a result only. */
  ran_ms: number | null;
}

interface Begun {
  at: number;
  run_id: string | null;
  tier: string | null;
  ran_from: number | null;
  ran_ms: number | null;
}

/** How many beginnings are remembered. What is older is read from the ledger when it ends. */
const KEPT = 4_000;

/**
 * Tells of each event that is written through a ledger, after it was written. Whoever is told can neither disturb nor
 * delay the writer.
 */
export class Watch {
  readonly #ledger: Ledger;
  readonly #tell: (happened: Happened) => void;
  readonly #begun = new Map<string, Begun>();

  constructor(ledger: Ledger, tell: (happened: Happened) => void) {
    this.#ledger = ledger;
    this.#tell = tell;
  }

  /** Begins to watch. Returns how to stop. */
  start(): () => void {
    return this.#ledger.subscribe((events) => {
      for (const event of events) this.#take(event);
    });
  }

  #take(event: LedgerEvent): void {
    const at = Date.parse(event.at);
    const begins = beginningOf(event);
    if (begins !== null)
      this.#remember(begins, {
        ...{ at, run_id: event.run_id, tier: tierOf(event), ran_from: null, ran_ms: null },
      });
    if (event.call_id !== null) this.#time(event.call_id, event, at);
    const ends = endOf(event);
    const nothing = { began: null, run_id: event.run_id, tier: null, ran_ms: null };
    if (ends === null) return this.#say({ event, at, ...nothing });
    const begun = this.#begun.get(ends);
    this.#begun.delete(ends);
    if (begun !== undefined) return this.#say({ event, at, ...factsOf(begun) });
    // Another process saw it begin, or it was long ago.
    this.#lookUp(event).then(
      (facts) => this.#say({ event, at, ...facts }),
      () => this.#say({ event, at, ...nothing }),
    );
  }

  #time(call_id: string, { type }: LedgerEvent, at: number): void {
    const begun = this.#begun.get(`call ${call_id}`);
    if (begun === undefined) return;
    if (type === "execution_started") begun.ran_from = at;
    if (type === "execution_finished" && begun.ran_from !== null) begun.ran_ms = at - begun.ran_from;
  }

  #remember(key: string, begun: Begun): void {
    this.#begun.set(key, begun);
    for (const oldest of this.#begun.keys()) {
      if (this.#begun.size <= KEPT) return;
      this.#begun.delete(oldest);
    }
  }

  async #lookUp(event: LedgerEvent): Promise<Omit<Happened, "event" | "at">> {
    const call = event.call_id === null ? null : await this.#ledger.call(event.call_id);
    if (call === null) return { began: null, run_id: event.run_id, tier: null, ran_ms: null };
    const asked = askedIn(call, event);
    return {
      began: beganIn(call, asked),
      run_id: (asked ?? call).run_id,
      ...{ tier: call.tier, ran_ms: ranIn(call) },
    };
  }

  #say(happened: Happened): void {
    try {
      this.#tell(happened);
    } catch {
      // What is made of an event cannot undo it.
    }
  }
}

function factsOf({ at, run_id, tier, ran_ms }: Begun): Omit<Happened, "event" | "at"> {
  return { began: at, run_id, tier, ran_ms };
}

function beginningOf(event: LedgerEvent): string | null {
  switch (event.type) {
    case "run_started":
      return `run ${event.run_id}`;
    case "tool_call_started":
      return `call ${event.call_id}`;
    case "approval_requested":
      return event.data.announced ? null : `approval ${event.data.approval_id}`;
    default:
      return null;
  }
}

function endOf(event: LedgerEvent): string | null {
  switch (event.type) {
    case "run_stopped":
      return `run ${event.run_id}`;
    case "tool_result":
      return `call ${event.call_id}`;
    case "approval_resolved":
      return `approval ${event.data.approval_id}`;
    default:
      return null;
  }
}

function tierOf(event: LedgerEvent): string | null {
  return event.type === "tool_call_started" ? event.data.tier : null;
}

function askedIn({ approvals }: Call, event: LedgerEvent): Approval | undefined {
  if (event.type !== "approval_resolved") return approvals[0];
  return approvals.find(({ approval_id }) => approval_id === event.data.approval_id);
}

function beganIn({ executions }: Call, asked: Approval | undefined): number | null {
  const at = asked?.requested_at ?? executions[0]?.started_at;
  return at === undefined ? null : Date.parse(at);
}

function ranIn({ executions }: Call): number | null {
  const last = executions.at(-1);
  if (last === undefined || last.finished_at === null) return null;
  return Date.parse(last.finished_at) - Date.parse(last.started_at);
}
