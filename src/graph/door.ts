import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { START } from "@langchain/langgraph";
import { Command, CompiledStateGraph, isCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { withdrawAll } from "../desk/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { admitAnswer, isSealedMap } from "./admit-answer.ts";
import type { GateOptions } from "./gate-parts.ts";
import { defaultLedger } from "./host.ts";
import { isNested, STRICT_RESUME } from "./platform.ts";
import type { GatedState } from "./tool-node.ts";

type AnyGraph = CompiledStateGraph<GatedState, Partial<GatedState>, typeof START | "agent" | "tools">;

// Where a graph keeps what its door needs. It travels with the copies that `withConfig` makes.
const OPTIONS = Symbol.for("countersign.door/1");

/**
 * A compiled graph with a door in front: every answer that comes in is addressed before LangGraph sees it, so that a
 * bare one can neither answer several questions nor come back for a later one. What cannot be addressed enters as no
 * answer at all, and the questions come back with a note that says why.
 */
export class ApprovalGraph extends CompiledStateGraph<
  GatedState,
  Partial<GatedState>,
  typeof START | "agent" | "tools"
> {
  [OPTIONS]: GateOptions = {};

  override withConfig(config: Parameters<AnyGraph["withConfig"]>[0]): never {
    const copy = super.withConfig(config) as unknown as ApprovalGraph;
    copy[OPTIONS] = this[OPTIONS];
    return copy as never;
  }

  override async stream(input: never, options?: never): Promise<never> {
    const config = options as LangGraphRunnableConfig | undefined;
    const given = (this as { config?: LangGraphRunnableConfig }).config;
    const outer = AsyncLocalStorageProviderSingleton.getRunnableConfig() as
      LangGraphRunnableConfig | undefined;
    if (isNested(config) || isNested(outer)) return super.stream(input, options) as never;
    const thread_id: unknown = config?.configurable?.["thread_id"] ?? given?.configurable?.["thread_id"];
    const entered = await this.#admit(input, config);
    // Sealed answers name their approvals, so they may also come for a question that a crash kept from being saved.
    const isStrict = !(isCommand(entered.input) && isSealedMap(entered.input.resume));
    const strict = {
      ...entered.config,
      configurable: { ...entered.config.configurable, [STRICT_RESUME]: isStrict },
    };
    const stream = await super.stream(entered.input as never, strict as never);
    const signal = config?.signal ?? given?.signal;
    if (signal && typeof thread_id === "string") this.#withdrawOnAbort(signal, thread_id, stream as never);
    return stream as never;
  }

  async #admit(
    input: unknown,
    config: LangGraphRunnableConfig = {},
  ): Promise<{ input: unknown; config: LangGraphRunnableConfig }> {
    const { countersign_refused: _forged, ...configurable } = config.configurable ?? {};
    const clean = { ...config, configurable };
    if (!isCommand(input) || !("resume" in input) || input.resume === undefined)
      return { input, config: clean };
    const admitted = await admitAnswer(this, await this.#ledger(), input.resume, clean);
    if (admitted.ok) {
      const { goto, update } = input;
      const extra = { ...(update !== undefined && { update }), ...(goto !== undefined && { goto }) };
      return {
        input: new Command({ ...extra, resume: admitted.resume }),
        config: admitted.config,
      };
    }
    return {
      input: null,
      config: {
        ...admitted.config,
        configurable: { ...admitted.config.configurable, countersign_refused: admitted.why },
      },
    };
  }

  /** Questions of a run that is aborted while it runs are withdrawn: nobody waits for their answer any more. */
  #withdrawOnAbort(signal: AbortSignal, thread_id: string, stream: ReadableStream): void {
    const withdraw = (): void => {
      this.#withdraw(thread_id).catch((error: unknown) => process.emitWarning(error as Error));
    };
    signal.addEventListener("abort", withdraw, { once: true });
    whenRead(stream, () => {
      signal.removeEventListener("abort", withdraw);
      // A task may have asked between the abort and the end.
      if (signal.aborted) withdraw();
    });
  }

  async #ledger(): Promise<Ledger> {
    return this[OPTIONS].ledger ?? defaultLedger();
  }

  async #withdraw(thread_id: string): Promise<void> {
    const { ledger, clock } = this[OPTIONS];
    await withdrawAll(
      ledger ?? (await defaultLedger()),
      clock ?? Date.now,
      { thread_id },
      "The run was aborted.",
    );
  }
}

/** Calls `done` once a stream was read to its end, failed or was given up. */
function whenRead(stream: ReadableStream, done: () => void): void {
  const getReader = stream.getReader.bind(stream) as () => ReadableStreamDefaultReader;
  const watched = (): ReadableStreamDefaultReader => {
    const reader = getReader();
    reader.closed.then(done, done);
    return reader;
  };
  Object.defineProperty(stream, "getReader", { value: watched, configurable: true });
}

/** Puts the door in front of a compiled graph, in place. */
export function openDoor(graph: AnyGraph, options: GateOptions): ApprovalGraph {
  const door = Object.setPrototypeOf(graph, ApprovalGraph.prototype) as ApprovalGraph;
  door[OPTIONS] = options;
  // The message that asks is on disk before its question, and the question before any effect.
  return door.withConfig({ durability: "sync" } as never);
}

/** What a graph was made with. */
export function optionsOf(graph: ApprovalGraph): GateOptions {
  return graph[OPTIONS];
}
