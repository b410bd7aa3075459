import { AIMessage } from "@langchain/core/messages";
import type { BaseMessage, InvalidToolCall, ToolCall } from "@langchain/core/messages";
import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { ModelError } from "./model-error.ts";
import { assertProviderValid } from "./provider-valid.ts";
import type { Reply } from "./reply.ts";
import { ReplyModel } from "./reply-model.ts";

/** A call of a step. Without `id` it gets `call_<step>_<position>`; `id: null` makes a call that has none. */
export interface ScriptedCall {
  name: string;
  args: Record<string, unknown>;
  id?: string | null;
}

/** A call the model garbled: its arguments are text that is no JSON. */
export interface ScriptedInvalidCall {
  name: string;
  args: string;
  id?: string | null;
  error?: string;
}

export interface ScriptedReply {
  content?: string;
  tool_calls?: readonly ScriptedCall[];
  invalid_tool_calls?: readonly ScriptedInvalidCall[];
}

/** One answer of the script, or a function of the history that makes it. */
export type Step = ScriptedReply | ((messages: BaseMessage[]) => ScriptedReply | Promise<ScriptedReply>);

export interface ScriptedModelOptions {
  /** Refuse a history that a strict provider would refuse. See {@link assertProviderValid}. */
  strict?: boolean;
}

/** See {@link scriptedModel}. */
export class ScriptedModel extends ReplyModel {
  /** The histories it was shown, refused ones included, oldest first. */
  readonly calls: BaseMessage[][] = [];
  /** Each list of tools it was bound to, oldest first. */
  readonly bound: BindToolsInput[][] = [];
  readonly #steps: readonly Step[];
  readonly #strict: boolean;
  readonly #used = new Set<number>();

  constructor(steps: readonly Step[], options: ScriptedModelOptions = {}) {
    super();
    this.#steps = [...steps];
    this.#strict = options.strict ?? false;
  }

  static override lc_name(): string {
    return "ScriptedModel";
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(...args: Parameters<ReplyModel["bindTools"]>): ReturnType<ReplyModel["bindTools"]> {
    this.bound.push([...args[0]]);
    return super.bindTools(...args);
  }

  /** The steps that never answered, in order. */
  unused(): Step[] {
    return this.#steps.filter((_, index) => !this.#used.has(index));
  }

  protected override async reply(messages: BaseMessage[]): Promise<Reply> {
    this.calls.push([...messages]);
    if (this.#strict) assertProviderValid(messages);
    const index = messages.filter((message) => AIMessage.isInstance(message)).length;
    const step = this.#steps[index];
    if (step === undefined) throw exhausted(index, this.#steps.length, messages.at(-1));
    this.#used.add(index);
    return toReply(typeof step === "function" ? await step(messages) : step, index);
  }
}

/**
 * A deterministic chat model for tests and evaluations: the nth step answers when the history holds n AI messages,
 * so the first step (0) answers a history without one.
 *
 * @throws {ModelError} when called: `script_exhausted` where no step answers, `history_refused` with `strict`.
 *
 * @example
 * const model = scriptedModel([
 *   { tool_calls: [{ name: "delete_file", args: { path: "a.txt" } }] },
 *   (messages) => ({ content: `The tool said: ${messages.at(-1)?.text}` }),
 * ]);
 */
export function scriptedModel(steps: readonly Step[], options: ScriptedModelOptions = {}): ScriptedModel {
  return new ScriptedModel(steps, options);
}

function toReply(step: ScriptedReply, index: number): Reply {
  const valid = step.tool_calls ?? [];
  return {
    content: step.content ?? "",
    tool_calls: valid.map(({ name, args, id }, at): ToolCall => {
      return { type: "tool_call", name, args: structuredClone(args), ...withId(id, index, at) };
    }),
    invalid_tool_calls: (step.invalid_tool_calls ?? []).map(
      ({ name, args, id, error }, at): InvalidToolCall => {
        const why = error ?? "The arguments are not JSON.";
        return { type: "invalid_tool_call", name, args, error: why, ...withId(id, index, valid.length + at) };
      },
    ),
  };
}

function withId(id: string | null | undefined, step: number, position: number): { id?: string } {
  return id === null ? {} : { id: id ?? `call_${step}_${position}` };
}

function exhausted(index: number, count: number, last: BaseMessage | undefined): ModelError {
  const shown = last === undefined ? "none" : `${last.type} "${last.text.slice(0, 120)}"`;
  return new ModelError(
    "script_exhausted",
    `The scripted model has no step ${index} (it has ${count}, counted from 0). Last message: ${shown}.`,
  );
}
