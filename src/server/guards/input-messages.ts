import { ServerError } from "../problem.ts";
import type { Limits } from "./limits.ts";

/** Refuses an input with too many messages. @throws {ServerError} `invalid_request` */
export function assertFewMessages(input: unknown, { inputMessages }: Pick<Limits, "inputMessages">): void {
  if (typeof input !== "object" || input === null || !("messages" in input)) return;
  if (!Array.isArray(input.messages) || input.messages.length <= inputMessages) return;
  const path = "input.messages";
  const message = `has ${input.messages.length} messages, and a run takes at most ${inputMessages}`;
  throw new ServerError("invalid_request", `The request is not valid. "${path}" ${message}.`, {
    errors: [{ path, message }],
  });
}
