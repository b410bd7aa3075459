import { z } from "@hono/zod-openapi";
import { DeskError } from "../../desk/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { ServerError } from "../problem.ts";
import { beginRun } from "../runs/begin-run.ts";
import { RunBody } from "../runs/run-body.ts";
import { threadOf } from "../threads/new-thread.ts";
import { read } from "./command.ts";
import { SHOWN, type Place } from "./place.ts";
import { tellRefused } from "./refusals.ts";

const Response = z.looseObject({ interrupt_id: z.string().min(1).max(200), response: z.unknown() });
const Params = z.looseObject({
  interrupt_id: z.string().min(1).max(200).optional(),
  response: z.unknown().optional(),
  responses: z.array(Response).max(1_000).optional(),
});

/** The ids that LangGraph and we give to what is open. Nothing else is an address. */
const ID = /^(apr_[0-9a-z]+|[0-9a-f]{32})$/;

/**
 * `input.respond`: takes answers to what is open, each by the id of its interrupt or approval, and begins the run that
 * acts on them. What cannot be taken leaves the thread as it was, and whoever follows it is told why.
 */
export async function respond(place: Place, params: unknown): Promise<{ run_id: string }> {
  const { parts, thread_id } = place;
  const { interrupt_id, response, responses, ...given } = read(Params, params);
  const entries = responses ?? (interrupt_id === undefined ? [] : [{ interrupt_id, response }]);
  const ids = entries.map((entry) => entry.interrupt_id);
  const row = await threadOf(parts.ports, thread_id);
  const assistant_id = await assistantOf(place, row);
  try {
    if (entries.length === 0) throw nothing();
    const resume = mapOf(entries);
    const { update, goto, config, metadata } = given;
    const command = { resume, ...present({ update, goto }) };
    const body = read(RunBody, { assistant_id, command, config, metadata });
    const { run_id } = await beginRun(parts, thread_id, body, SHOWN, place.by);
    return { run_id };
  } catch (error) {
    tellRefused(place, ids, error);
    throw error;
  }
}

function nothing(): DeskError {
  const message =
    'The command answers nothing. Send "interrupt_id" with "response", or a list of "responses".';
  const errors = [{ path: "responses", message: "expected at least one answer" }];
  return new DeskError("invalid_decision", message, { errors });
}

function present(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  );
}

function mapOf(entries: readonly z.infer<typeof Response>[]): Record<string, unknown> {
  const map: Record<string, unknown> = {};
  for (const { interrupt_id, response } of entries) {
    if (!ID.test(interrupt_id))
      throw new DeskError(
        "unknown_approval",
        `"${interrupt_id.slice(0, 80)}" is not the id of a pending interrupt.`,
      );
    if (interrupt_id in map)
      throw new ServerError("invalid_request", `The command answers ${interrupt_id} twice.`);
    map[interrupt_id] = response;
  }
  return map;
}

/** The assistant whose run goes on. Where it was deleted, its graph goes on without it. */
async function assistantOf({ parts }: Place, { assistant_id, graph_id }: ThreadRow): Promise<string> {
  if (graph_id === null)
    throw new DeskError("not_pending", "Nothing is waiting for a decision on this thread.");
  const found = assistant_id === null ? null : await parts.assistants.resolve(assistant_id).catch(() => null);
  return found?.assistant_id ?? graph_id;
}
