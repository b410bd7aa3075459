import { z } from "@hono/zod-openapi";
import { refuseInvalid } from "../guards/refuse-invalid.ts";
import { problemOf, type Problem } from "../problem.ts";

/** A command as it comes, over HTTP or a socket. */
export const Command = z
  .looseObject({
    id: z.number().int().min(0).describe("The client's number for it; the response has the same."),
    method: z.string().max(100).describe("Such as `run.start` or `input.respond`."),
    params: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: "ProtocolCommand" });
export type Command = z.infer<typeof Command>;

/** What is answered to a command. */
export type CommandResponse =
  | { type: "success"; id: number; result: unknown; meta: { thread_id: string; applied_through_seq: number } }
  | ErrorResponse;

/** A command that was refused. Everything is as it was. */
export interface ErrorResponse {
  type: "error";
  id: number | null;
  /** A word of the protocol where it has one, else the stable code of our problems. */
  error: string;
  message: string;
  /** The same refusal as the other routes word it. */
  problem: Problem;
}

/** The words that the protocol itself has for what our problems are called. */
const WORDS: Record<string, string> = {
  invalid_request: "invalid_argument",
  invalid_json: "invalid_argument",
  unknown_approval: "no_such_interrupt",
  thread_not_found: "no_such_run",
  internal: "unknown_error",
  forbidden: "permission_denied",
};

/** The refusal of any error. `word` is the protocol's own for it, where the code alone does not tell. */
export function refusal(id: number | null, error: unknown, word?: string): ErrorResponse {
  const problem = problemOf(error);
  const { code, detail } = problem;
  return { type: "error", id, error: word ?? WORDS[code] ?? code, message: detail, problem };
}

/** Reads the parameters of a command. @throws {ServerError} `invalid_request`, with the path */
export function read<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const result = schema.safeParse(params ?? {});
  if (result.success) return result.data;
  refuseInvalid({ success: false, target: "json", error: result.error });
  throw result.error;
}
