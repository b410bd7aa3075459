const list = (words: string): string[] => words.split(/\s+/).filter((word) => word !== "");

/** Keys under which a form says what it is of. */
const WORD_KEYS = new Set(["type", "role", "status", "event", "method", "code"]);

/** What forms are called, in messages and their contents, JSON Schemas, traces, the streaming protocol, and ours. */
const WORDS: ReadonlySet<string> = new Set(
  list(`
    human ai system tool function remove generic chat developer user assistant
    HumanMessage AIMessage SystemMessage ToolMessage FunctionMessage ChatMessage RemoveMessage
    HumanMessageChunk AIMessageChunk SystemMessageChunk ToolMessageChunk FunctionMessageChunk ChatMessageChunk
    text text-delta text_delta text-plain reasoning reasoning-delta thinking thinking_delta redacted_thinking
    image image_url audio video file document input_text output_text refusal citation non_standard
    tool_use tool_call tool_call_chunk tool_calls tool_result function_call function_call_output invalid_tool_call
    server_tool_use server_tool_call server_tool_call_chunk server_tool_call_result input_json_delta block-delta
    constructor secret not_implemented undefined
    object array string number integer boolean null
    on_chain_start on_chain_stream on_chain_end on_chat_model_start on_chat_model_stream on_chat_model_end
    on_llm_start on_llm_stream on_llm_end on_tool_start on_tool_stream on_tool_end on_tool_error on_retriever_start
    on_retriever_end on_prompt_start on_prompt_end on_custom_event
    message-start message-finish message-error content-block-start content-block-delta content-block-finish
    tool-started tool-output-delta tool-finished tool-error
    values updates messages custom tasks task task_result checkpoints checkpoint debug events metadata end
    lifecycle input input.requested input.answered started running completed failed interrupted
    success error pending busy idle drained timeout cancelled
    approval_request approval_requested approval_shown approval_resolved tool_call_started run_started run_stopped
    approve approved edit edited reject rejected respond responded expired unavailable accept ignore response
    none paused succeeded unknown blocked interrupt
  `),
);

/** Keys of forms under which a number counts something, and says nothing of anybody. */
const COUNTS = /(?:^|_)tokens?$|^(?:v|seq|thread_seq|index|step|langgraph_step|attempt|timestamp|limit)$/;

/** Whether a text under a key is a word of a form, which a secret may be by chance: clients must find it as it is. */
export function isKnownWord(key: string, text: string): boolean {
  return WORD_KEYS.has(key) && WORDS.has(text);
}

/** Whether a number under a key counts something. */
export function isCount(key: string): boolean {
  return COUNTS.test(key);
}
