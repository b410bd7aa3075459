import type { LangGraphRunnableConfig, StateSnapshot } from "@langchain/langgraph";
import { addressAnswer, DeskError, type OpenInterrupt } from "../desk/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { isSealed, seal } from "./answer-of.ts";

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
  const known =
    checkpoint_id === undefined
      ? await addressedByLedger(ledger, answer, configurable["thread_id"])
      : undefined;
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
    for (const { approval_id, interrupt_id, decision } of decisions)
      resume[interrupt_id] = seal(approval_id, decision);
    return { ok: true, resume, config: atHead };
  } catch (error) {
    if (error instanceof DeskError) return { ok: false, why: error.message, config: atHead };
    throw error;
  }
}

/** A map that names nothing but pending approvals needs no look at the graph's state, which costs more than the rest. */
async function addressedByLedger(
  ledger: Ledger,
  answer: unknown,
  thread_id: unknown,
): Promise<Record<string, unknown> | undefined> {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer) || typeof thread_id !== "string")
    return undefined;
  const entries = Object.entries(answer);
  if (entries.length === 0 || !entries.every(([id]) => /^(apr_)?[0-9a-f]{32}$/.test(id))) return undefined;
  const { approvals } = await ledger.approvals({ status: "pending", thread_id, limit: 1_000 });
  const resume: Record<string, unknown> = {};
  for (const [id, decision] of entries) {
    const named = approvals.find(
      ({ approval_id, interrupt_id }) => id === approval_id || id === interrupt_id,
    );
    if (named === undefined || named.interrupt_id === null || named.interrupt_id in resume) return undefined;
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
