import type { LangGraphRunnableConfig, StateSnapshot } from "@langchain/langgraph";
import { addressAnswer, DeskError, type OpenInterrupt } from "../desk/index.ts";
import type { Approval, Ledger } from "../ledger/index.ts";
import { isSealed, namesApproval, seal } from "./answer-of.ts";

/** An answer as it may enter: by interrupt id, each decision sealed for its approval. */
export type AdmittedAnswer =
  | { ok: true; resume: Record<string, unknown>; config: LangGraphRunnableConfig }
  | { ok: false; why: string; config: LangGraphRunnableConfig };

interface StateReader {
  getState(config: LangGraphRunnableConfig): Promise<StateSnapshot>;
}

/** Addresses an answer to the questions that are open on the thread, or says why that cannot be done. */
export async function admitAnswer(
  graph: StateReader,
  ledger: Ledger,
  answer: unknown,
  config: LangGraphRunnableConfig,
): Promise<AdmittedAnswer> {
  // An answer is for what is open now; with an old checkpoint it would be for what was open then.
  const { checkpoint_id, ...configurable } = (config.configurable ?? {}) as Record<string, unknown>;
  const atHead = { ...config, configurable };
  if (isSealedMap(answer)) return { ok: true, resume: answer, config: atHead };
  const pending = await pendingOn(ledger, configurable["thread_id"]);
  const known = checkpoint_id === undefined ? addressedByLedger(answer, pending) : undefined;
  if (known) return { ok: true, resume: known, config: atHead };
  const state = await graph.getState(atHead);
  const head: unknown = state.config.configurable?.["checkpoint_id"];
  if (checkpoint_id !== undefined && checkpoint_id !== head) {
    return {
      ok: false,
      why: "It named an old checkpoint. An answer is for what is open now.",
      config: atHead,
    };
  }
  try {
    const { decisions, others } = addressAnswer(answer, openInterrupts(state));
    const resume = { ...others };
    for (const { approval_id, interrupt_id, decision } of decisions) {
      requireNamed(answer, approval_id, interrupt_id, pending);
      resume[interrupt_id] = seal(approval_id, decision);
    }
    return { ok: true, resume, config: atHead };
  } catch (error) {
    if (error instanceof DeskError) return { ok: false, why: error.message, config: atHead };
    throw error;
  }
}

async function pendingOn(ledger: Ledger, thread_id: unknown): Promise<Approval[]> {
  if (typeof thread_id !== "string") return [];
  return (await ledger.approvals({ status: "pending", thread_id, limit: 1_000 })).approvals;
}

/**
 * Refuses an answer that may be meant for another question than the one it would reach: a bare one while more than one
 * is pending, also where a jump left the graph with one of them; one by an interrupt that two questions have, as when
 * a call was replaced by another under the same task.
 */
function requireNamed(
  answer: unknown,
  approval_id: string,
  interrupt_id: string,
  pending: readonly Approval[],
): void {
  if (namesApproval(answer, approval_id)) return;
  const isAddressed = namesApproval(answer, interrupt_id);
  const others = pending.filter((one) => one.approval_id !== approval_id);
  if (isAddressed ? others.every((one) => one.interrupt_id !== interrupt_id) : others.length === 0) return;
  throw new DeskError(
    "ambiguous",
    "More than one approval is pending and the answer names none of them. Send a map from approval id to decision.",
    { pending: pending.map((one) => one.approval_id) },
  );
}

/** A map that names nothing but pending approvals needs no look at the graph's state, which costs more than the rest. */
function addressedByLedger(
  answer: unknown,
  pending: readonly Approval[],
): Record<string, unknown> | undefined {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return undefined;
  const entries = Object.entries(answer);
  if (entries.length === 0 || !entries.every(([id]) => /^(apr_)?[0-9a-f]{32}$/.test(id))) return undefined;
  const resume: Record<string, unknown> = {};
  for (const [id, decision] of entries) {
    const [named, ...others] = pending.filter(
      ({ approval_id, interrupt_id }) => id === approval_id || id === interrupt_id,
    );
    if (named === undefined || others.length > 0) return undefined;
    if (named.interrupt_id === null || named.interrupt_id in resume) return undefined;
    resume[named.interrupt_id] = seal(named.approval_id, decision);
  }
  return resume;
}

function openInterrupts({ tasks }: StateSnapshot): OpenInterrupt[] {
  const open = tasks.flatMap(({ interrupts, result }) => (result === undefined ? interrupts : []));
  // A question from deep inside is listed once for each level that it came through.
  const byId = new Map(open.map(({ id, value }) => [id ?? "", value as unknown]));
  return [...byId].map(([id, value]) => ({ id, value }));
}

/** Whether an answer is a map in which each decision is sealed for its approval. */
export function isSealedMap(answer: unknown): answer is Record<string, unknown> {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return false;
  const values = Object.values(answer);
  return values.length > 0 && values.every(isSealed);
}
