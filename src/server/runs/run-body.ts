import { z } from "@hono/zod-openapi";
import { cleanConfigurable, type Order } from "./order.ts";
import { ServerError } from "../problem.ts";
import { StreamMode } from "./stream-modes.ts";

const Nodes = z.union([z.literal("*"), z.array(z.string())]);
const Json = z.record(z.string(), z.unknown());

/** The body of a run. Keys that are not named here are other servers' business. */
export const RunBody = z
  .looseObject({
    assistant_id: z.string().min(1).max(200).describe("A graph's name, or the id of its assistant."),
    input: z.unknown().optional().describe("What the graph begins with."),
    command: z
      .looseObject({
        resume: z.unknown().optional(),
        goto: z.unknown().optional(),
        update: z.unknown().optional(),
      })
      .nullish()
      .describe(
        "`resume` answers what is open: a map from approval or interrupt id to decision, or one decision.",
      ),
    context: Json.nullish().describe("The graph's context; a policy in it can only tighten."),
    config: z
      .looseObject({
        configurable: Json.nullish(),
        tags: z.array(z.string()).nullish(),
        metadata: Json.nullish(),
        recursion_limit: z.number().int().min(1).max(10_000).nullish(),
      })
      .nullish(),
    metadata: Json.nullish(),
    stream_mode: z.union([StreamMode, z.array(StreamMode)]).nullish(),
    stream_subgraphs: z.boolean().nullish(),
    interrupt_before: Nodes.nullish(),
    interrupt_after: Nodes.nullish(),
    checkpoint: z.looseObject({ checkpoint_id: z.string().nullish() }).nullish(),
    checkpoint_id: z.string().nullish(),
    on_disconnect: z.enum(["cancel", "continue"]).nullish().describe("Default: `continue`."),
    on_completion: z
      .string()
      .nullish()
      .describe("Of a run without a thread: `keep` its thread, or `delete` it. Default: `delete`."),
    if_not_exists: z
      .enum(["create", "reject"])
      .nullish()
      .describe("Whether an input creates its thread; an answer or a fork never does. Default: `reject`."),
    multitask_strategy: z
      .enum(["reject", "enqueue", "interrupt", "rollback"])
      .nullish()
      .describe(
        "What happens when a run is live on the thread: this one is refused, waits for its turn, or takes the other " +
          "one's place; with `rollback` as if that had never begun. Default: `reject`.",
      ),
    after_seconds: z
      .number()
      .min(0)
      .max(31_536_000)
      .nullish()
      .describe("Begin only after so many seconds. Not for an answer."),
    webhook: z
      .url({ protocol: /^https?$/, error: "must be a URL, http or https" })
      .nullish()
      .describe("Is sent the run, with its values, when it has stopped."),
  })
  .meta({ id: "RunBody" });
export type RunBody = z.infer<typeof RunBody>;

/** What a client wants of a thread: a new input, or an answer to what is open. */
export type Intent =
  | { kind: "input"; input: unknown }
  | { kind: "answer"; answer: unknown }
  | { kind: "jump"; goto?: unknown; update?: unknown; hasAnswer: boolean };

/** @throws {ServerError} for a command that says nothing. */
export function intentOf({ command, input }: RunBody): Intent {
  if (!command) return { kind: "input", input: input ?? null };
  const { update } = command;
  // LangGraph's own `Command` writes an empty list where nothing is gone to.
  const goto = Array.isArray(command.goto) && command.goto.length === 0 ? undefined : command.goto;
  if ((goto !== undefined && goto !== null) || (update !== undefined && update !== null)) {
    const hasAnswer = command.resume !== undefined && command.resume !== null;
    return { kind: "jump", goto, update, hasAnswer };
  }
  if ("resume" in command) return { kind: "answer", answer: command.resume };
  throw new ServerError(
    "invalid_request",
    '"command" is empty. Send "resume" with your answer, or "input" instead.',
    {
      errors: [{ path: "command", message: "holds none of resume, goto, update" }],
    },
  );
}

/** What a body says about how the run is run. */
export function orderOf({ context, config, metadata }: RunBody): Order {
  const { configurable, tags, recursion_limit } = config ?? {};
  const all = { ...config?.metadata, ...metadata };
  return {
    ...(context && { context }),
    ...(configurable && { configurable: cleanConfigurable(configurable) }),
    ...(tags && { tags }),
    ...(Object.keys(all).length > 0 && { metadata: all }),
    ...(recursion_limit && { recursion_limit }),
  };
}

/** What a client wants to see of a run that it streams. */
export function modesOf({ stream_mode }: Pick<RunBody, "stream_mode">): StreamMode[] {
  if (stream_mode === undefined || stream_mode === null) return ["values"];
  const modes = Array.isArray(stream_mode) ? stream_mode : [stream_mode];
  return modes.length === 0 ? ["values"] : modes;
}

/** The time that a run waits for, ISO 8601; `null`: it begins at once. */
export function startsAt({ after_seconds }: RunBody, clock: () => number): string | null {
  return after_seconds ? new Date(clock() + after_seconds * 1_000).toISOString() : null;
}

/** The checkpoint that a body names, wherever it does. */
export function checkpointIdOf({ checkpoint_id, checkpoint, config }: RunBody): string | undefined {
  const configured = config?.configurable?.["checkpoint_id"];
  return (
    checkpoint_id ?? checkpoint?.checkpoint_id ?? (typeof configured === "string" ? configured : undefined)
  );
}
