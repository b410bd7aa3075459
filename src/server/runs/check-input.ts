import { coerceMessageLikeToMessage, type BaseMessage, type MessageContent } from "@langchain/core/messages";
import type { Checkpointer } from "../database/checkpointer.ts";
import { ServerError } from "../problem.ts";

/** LangGraph's word for the removal of all messages. */
const ALL = "__remove_all__";

/**
 * Refuses an input that could be written into a thread and never be read again. LangGraph stores an input before it
 * makes messages of it, so a bad one would spoil the thread.
 *
 * @param messagesNow reads the thread's messages; asked only when the input removes some.
 * @throws {ServerError} `invalid_request`, with the path.
 */
export async function checkInput(
  checkpointer: Checkpointer,
  input: unknown,
  messagesNow: () => Promise<readonly unknown[]>,
): Promise<void> {
  const given: unknown =
    typeof input === "object" && input !== null && "messages" in input ? input.messages : undefined;
  const messages = given === undefined ? [] : listOfMessages(given).map(readMessage);
  await checkRemovals(
    messages.map(({ message }) => message),
    messagesNow,
  );
  for (const { message, path } of messages) await checkStorable(checkpointer, message, path);
  await checkStorable(checkpointer, input, "input");
}

/** Refuses what LangGraph's store would not give back. @throws {ServerError} `invalid_request`, with the path. */
export async function checkStorable({ saver }: Checkpointer, value: unknown, path: string): Promise<void> {
  try {
    // As deep inside as a checkpoint has it.
    const [type, data] = await saver.serde.dumpsTyped({ channel_values: { of: { one: [[value]] } } });
    await saver.serde.loadsTyped(type, data);
  } catch (error) {
    throw invalid(path, `cannot be stored: ${firstLine(error)}`);
  }
}

function listOfMessages(given: unknown): { like: unknown; path: string }[] {
  if (Array.isArray(given)) return given.map((like: unknown, at) => ({ like, path: `input.messages.${at}` }));
  return [{ like: given, path: "input.messages" }];
}

function readMessage({ like, path }: { like: unknown; path: string }): {
  message: BaseMessage;
  path: string;
} {
  try {
    return { message: coerceMessageLikeToMessage(like as MessageContent & string), path };
  } catch {
    throw invalid(path, 'is no message: send { "role": "user", "content": "…" }, or a list of such');
  }
}

/** Removing a message that is not there fails in every later step, and not only in this one. */
async function checkRemovals(
  messages: readonly BaseMessage[],
  messagesNow: () => Promise<readonly unknown[]>,
): Promise<void> {
  if (!messages.some(({ type }) => type === "remove")) return;
  const known = new Set((await messagesNow()).map((one) => (one as { id?: unknown } | null)?.id));
  for (const [at, { type, id }] of messages.entries()) {
    if (type === "remove" && id !== ALL && !known.has(id))
      throw invalid(`input.messages.${at}`, "removes a message that is not there");
    known.add(id);
  }
}

function invalid(path: string, message: string): ServerError {
  return new ServerError("invalid_request", `The request is not valid. "${path}" ${message}.`, {
    errors: [{ path, message }],
  });
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n")[0] ?? "").slice(0, 120);
}
