import type { LangGraphRunnableConfig, StateSnapshot } from "@langchain/langgraph";
import { addressAnswer, DeskError, type OpenInterrupt } from "../desk/index.ts";
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
  answer: unknown,
  config: LangGraphRunnableConfig,
): Promise<AdmittedAnswer> {
  // An answer is for what is open now; with an old checkpoint it would be for what was open then.
  const { checkpoint_id, ...configurable } = (config.configurable ?? {}) as Record<string, unknown>;
  const atHead = { ...config, configurable };
  if (isSealedMap(answer)) return { ok: true, resume: answer, config: atHead };
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
    const sealed = decisions.map(({ approval_id, interrupt_id, decision }) => [
      interrupt_id,
      seal(approval_id, decision),
    ]);
    return { ok: true, resume: { ...others, ...Object.fromEntries(sealed) }, config: atHead };
  } catch (error) {
    if (error instanceof DeskError) return { ok: false, why: error.message, config: atHead };
    throw error;
  }
}

function openInterrupts({ tasks }: StateSnapshot): OpenInterrupt[] {
  const open = tasks.flatMap(({ interrupts, result }) => (result === undefined ? interrupts : []));
  return open.map(({ id, value }) => ({ id: id ?? "", value: value as unknown }));
}

function isSealedMap(answer: unknown): answer is Record<string, unknown> {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return false;
  const values = Object.values(answer);
  return values.length > 0 && values.every(isSealed);
}
