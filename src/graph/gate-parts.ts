import { Executions } from "../desk/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { definePolicy, type Policy, type PolicyInput } from "../policy/index.ts";
import type { Answer, GateParts } from "./entry.ts";
import { currentHost, defaultLedger } from "./host.ts";
import { Judge } from "./judge.ts";
import { registeredFor, type Reviewer } from "./reviewer.ts";
import { generalFacts, shelve, type Tool } from "./tool-shelf.ts";

export interface GateOptions {
  /** The base policy. Only its owner can relax; contexts can only tighten it. */
  policy?: PolicyInput | Policy;
  /** Where approvals are kept. Default: see `docs/architecture.md`. */
  ledger?: Ledger;
  /** A person asked in process, such as one at a terminal. Without it a question is an interrupt. */
  answer?: Answer;
  /** Automatic reviewers, by the name that the policy's `reviewers` uses. They are asked before a person. */
  reviewers?: Readonly<Record<string, Reviewer>>;
  /** Milliseconds since 1970. For tests. */
  clock?: () => number;
  /** Channels of the state that tools may read as `runtime.state`. Default: `messages`. */
  stateKeys?: readonly string[];
}

/** How many questions may be open at once on one thread, where no server says. */
const MAX_PENDING = 100;

// Claims are counted in one place for each ledger, however many gates write to it, and whichever copy of this package
// they come from: a registered symbol on the ledger itself.
const EXECUTIONS = Symbol.for("countersign.executions/1");

/**
 * What is behind a gate, ready for the next entry.
 *
 * @throws {PolicyError} at once when the policy is not valid for these tools.
 */
export function gateParts(
  tools: readonly Tool[],
  options: GateOptions,
  toolsNode: string,
): { judge: Judge; open: () => Promise<GateParts> } {
  const shelf = shelve(tools);
  const policy = definePolicy(options.policy ?? { version: 1 }, { tools: generalFacts(shelf) });
  const reviewers = registeredFor(policy, options.reviewers);
  const judge = new Judge(policy, shelf);
  const open = async (): Promise<GateParts> => {
    const ledger = options.ledger ?? (await defaultLedger());
    const clock = options.clock ?? currentHost()?.clock ?? Date.now;
    const maxPending = currentHost()?.maxPending ?? MAX_PENDING;
    const stateKeys = options.stateKeys ?? ["messages"];
    return {
      judge,
      ledger,
      clock,
      executions: executionsOf(ledger),
      answer: options.answer,
      reviewers,
      stateKeys,
      maxPending,
      toolsNode,
    };
  };
  return { judge, open };
}

/** The claims this process holds in a ledger. */
export function executionsOf(ledger: Ledger): Executions {
  const holder = ledger as { [EXECUTIONS]?: Executions };
  // Leases follow the real clock, and so does what a claim's own rows say.
  holder[EXECUTIONS] ??= new Executions(ledger, Date.now);
  return holder[EXECUTIONS];
}
