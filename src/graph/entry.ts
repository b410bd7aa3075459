import type { ToolCall } from "@langchain/core/messages/tool";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import {
  changeCall,
  isoTime,
  planOf,
  type Change,
  type Changed,
  type Executions,
  type Target,
} from "../desk/index.ts";
import {
  callId,
  digest,
  hiddenOf,
  maskEvent,
  turnId,
  wireEvent,
  type Approval,
  type Call,
  type Command,
  type Decision,
  type Ledger,
  type LedgerEvent,
  type Refusal,
} from "../ledger/index.ts";
import type { PolicyOverlay, Verdict } from "../policy/index.ts";
import { requester } from "./host.ts";
import type { Judge } from "./judge.ts";
import type { Place } from "./platform.ts";
import type { Reviewer } from "./reviewer.ts";

/**
 * Asks a person in process, such as one at a terminal, and gives back what they decided. `refused` says what was wrong
 * with the answer before.
 */
export type Answer = (
  approval: Approval,
  options: { signal: AbortSignal; refused?: string },
) => Promise<unknown>;

/** What one gate works with, whoever enters. */
export interface GateParts {
  judge: Judge;
  ledger: Ledger;
  executions: Executions;
  clock: () => number;
  answer: Answer | undefined;
  /** The automatic reviewers, by name. */
  reviewers: ReadonlyMap<string, Reviewer>;
  /** The name of the tools node. */
  toolsNode: string;
  /** Channels of the state that tools may read. */
  stateKeys: readonly string[];
  /** How many questions may be open at once on one thread. */
  maxPending: number;
}

/** One task of the tools node, as it is handed from the edge. */
export interface TaskInput {
  call: ToolCall & { id: string };
  message_id: string;
  overlays: PolicyOverlay[];
}

/** Somebody else settled the question first: the entry goes on from what stands. */
export class Overtaken extends Error {
  constructor() {
    super("Another decision was taken first.");
    this.name = "Overtaken";
  }
}

/**
 * One entry of a task into the gate: who calls what, and what the ledger knows of it. The same call may be entered
 * many times, after each answer and each crash.
 */
export class Entry {
  readonly parts: GateParts;
  readonly input: TaskInput;
  readonly config: LangGraphRunnableConfig;
  readonly place: Place;
  readonly target: Target;
  readonly turn_id: string;
  call: Call | null = null;
  /** Answers that arrived in this entry at the position of an earlier question, by approval. */
  readonly arrived = new Map<string, unknown>();
  /** The approvals that this very entry opened: no answer that came with it can be meant for them. */
  readonly opened = new Set<string>();
  #held: { command: Command; known: Call | null } | undefined;

  constructor(parts: GateParts, input: TaskInput, config: LangGraphRunnableConfig, place: Place) {
    const { thread_id, task_id, path, run_id } = place;
    const { call, message_id } = input;
    this.parts = parts;
    this.input = input;
    this.config = config;
    this.place = place;
    this.turn_id = turnId(thread_id, path, message_id);
    const call_id = callId({ thread_id, task_id, tool_call_id: call.id, tool: call.name, args: call.args });
    this.target = { call_id, thread_id, run_id };
  }

  /** Reads what is known of the call. */
  async read(): Promise<Call | null> {
    this.#held = undefined;
    this.call = await this.parts.ledger.call(this.target.call_id);
    return this.call;
  }

  /**
   * Puts commands to the call and tells the stream what came of them.
   *
   * @throws {Overtaken} when a consent that was held back could not be written.
   */
  change(...commands: Command[]): Promise<Changed> {
    return this.changeWith({ commands });
  }

  /** Like {@link change}, where a grant or a limit decides: nothing is written when there is no use or room left. */
  async changeWith(
    change: { commands: Command[] } & Pick<Change, "uses_grant" | "limits">,
  ): Promise<Changed> {
    const { before, known } = this.takeHeld();
    if (before.length > 0) {
      const { refusal } = await this.#change({ commands: before, known, force: false });
      if (refusal) throw new Overtaken();
    }
    return this.#change({ ...change, known: this.call });
  }

  /**
   * Takes a decision that came with this entry. A consent is held back for a moment: nobody was told yet that it was
   * taken, and the claim that follows writes both in one step.
   */
  async decide(command: Command & { type: "decide" }): Promise<Refusal | undefined> {
    const { type } = command.decision;
    if (type === "approve" || type === "edit") {
      const { call, refused } = planOf(this.call, this.target, isoTime(this.parts.clock), {
        commands: [command],
      });
      if (!refused.refusal) {
        this.#held = { command, known: this.call };
        this.call = call;
        return undefined;
      }
    }
    return (await this.change(command)).refusal;
  }

  /** What was held back, for whoever writes it now, and the call as it stands in the ledger without it. */
  takeHeld(): { before: Command[]; known: Call | null } {
    const held = this.#held;
    this.#held = undefined;
    return held ? { before: [held.command], known: held.known } : { before: [], known: this.call };
  }

  async #change(change: Change): Promise<Changed> {
    const { ledger, clock } = this.parts;
    return this.noticed(await changeCall(ledger, this.target, isoTime(clock), change));
  }

  noticed(changed: Changed): Changed {
    this.call = changed.call;
    this.tell(changed.events);
    return changed;
  }

  /** Sends events of the contract into the run's custom stream; the inner steps of an execution stay in the ledger. */
  tell(events: readonly LedgerEvent[]): void {
    const told = events.filter(({ type }) => !type.startsWith("execution_"));
    if (told.length === 0 || this.config.writer === undefined) return;
    const hidden = this.call && hiddenOf(this.call, this.masks());
    for (const event of told) this.config.writer(wireEvent(maskEvent(event, hidden)));
  }

  /** The command that begins the call in the ledger. Harmless when it has begun. */
  start(verdict: Pick<Verdict, "tier" | "rules" | "why"> & Partial<Pick<Verdict, "base">>): Command {
    const { call, overlays } = this.input;
    const { graph_id, assistant_id, path } = this.place;
    const mask = this.parts.judge.masks(overlays);
    const mask_added = this.parts.judge.addedMasks(mask);
    const data = {
      tool_call_id: call.id,
      tool: call.name,
      turn_id: this.turn_id,
      args: call.args,
      args_digest: digest(call.args),
      tier: verdict.tier,
      rules: verdict.rules,
      why: verdict.why,
      ...(verdict.base !== undefined && verdict.base !== verdict.tier && { base: verdict.base }),
      ...{ path, graph_id, assistant_id },
      policy_digest: this.parts.judge.policyDigest(overlays),
      ...requester(),
      // Left out where there are none: older packages read such a row.
      ...(mask.length > 0 && { mask }),
      ...(mask_added.length > 0 && { mask_added }),
    };
    return { type: "start", data };
  }

  /** The masks that the call is shown under: those it was begun under, and those of its policy now. */
  masks(): string[] {
    const now = this.parts.judge.masks(this.input.overlays);
    return now.length === 0 ? (this.call?.mask ?? []) : [...new Set([...(this.call?.mask ?? []), ...now])];
  }

  /** What would run now: the call as the model made it, or as the last edit left it. */
  effective(): { name: string; args: Record<string, unknown> } {
    const { call } = this.input;
    let effective = { name: call.name, args: call.args };
    for (const approval of this.call?.approvals ?? []) {
      const decision = approval.decision as Partial<Decision & { type: "edit" }> | null;
      if (approval.status !== "edited" || decision?.args === undefined) continue;
      effective = { name: decision.tool ?? approval.tool, args: decision.args };
    }
    return effective;
  }
}
