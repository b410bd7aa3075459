import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type {
  BaseChatModelCallOptions,
  BaseChatModelParams,
  BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { ChatGenerationChunk, ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { toChunks, toMessage } from "./reply.ts";
import type { Reply } from "./reply.ts";

export interface ReplyCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** A chat model that makes its replies in process: whole or streamed, the same reply. */
export abstract class ReplyModel extends BaseChatModel<ReplyCallOptions> {
  constructor(fields: BaseChatModelParams = {}) {
    super(fields);
  }

  /** The reply to this history; `tools` are the names of the bound tools. */
  protected abstract reply(messages: BaseMessage[], tools: string[]): Promise<Reply>;

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<ReplyCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ReplyCallOptions> {
    return this.withConfig({ ...kwargs, tools });
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const reply = await this.reply(messages, toolNames(options.tools));
    await runManager?.handleLLMNewToken(reply.content);
    return { generations: [{ text: reply.content, message: toMessage(reply) }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const reply = await this.reply(messages, toolNames(options.tools));
    for (const chunk of toChunks(reply)) {
      options.signal?.throwIfAborted();
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function toolNames(tools: readonly BindToolsInput[] | undefined): string[] {
  return (tools ?? []).map((tool) => nameOf(tool)).filter((name) => name !== "");
}

function nameOf(tool: BindToolsInput): string {
  if ("name" in tool && typeof tool.name === "string") return tool.name;
  const fn: unknown = "function" in tool ? tool.function : undefined;
  if (typeof fn === "object" && fn !== null && "name" in fn && typeof fn.name === "string") return fn.name;
  return "";
}
