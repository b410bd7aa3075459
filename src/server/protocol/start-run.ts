import { z } from "@hono/zod-openapi";
import { beginRun } from "../runs/begin-run.ts";
import { RunBody } from "../runs/run-body.ts";
import { ServerError } from "../problem.ts";
import { read } from "./command.ts";
import { SHOWN, type Place } from "./place.ts";
import { tellAgain } from "./refusals.ts";

const Params = z.looseObject({
  input: z.unknown().optional(),
  multitask_strategy: z.unknown().optional(),
  multitaskStrategy: z.unknown().optional(),
});

/**
 * `run.start`: begins a run from an input, on a thread that is made if need be. On a paused thread an input is an
 * input and never an answer, so it is refused, or withdraws what is open where policy says so.
 */
export async function startRun(place: Place, params: unknown): Promise<{ run_id: string }> {
  const { parts, thread_id } = place;
  const { multitask_strategy, multitaskStrategy, input, ...given } = read(Params, params);
  if (isCommand(input))
    throw new ServerError(
      "not_supported",
      'A command of LangGraph is no input. Answer what is open with "input.respond".',
    );
  const body = read(RunBody, {
    ...pick(given, ["assistant_id", "config", "metadata", "context"]),
    input,
    multitask_strategy: multitask_strategy ?? multitaskStrategy ?? "enqueue",
    if_not_exists: "create",
  });
  try {
    const { run_id } = await beginRun(parts, thread_id, body, SHOWN, place.by);
    return { run_id };
  } catch (error) {
    if (error instanceof ServerError && error.code === "approval_pending") tellAgain(place);
    throw error;
  }
}

/** A `Command` as LangGraph's `RemoteGraph` writes it. */
function isCommand(input: unknown): boolean {
  return typeof input === "object" && input !== null && "lg_name" in input && input.lg_name === "Command";
}

function pick(given: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => given[key] !== undefined).map((key) => [key, given[key]]));
}
