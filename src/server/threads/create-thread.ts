import { Command } from "@langchain/langgraph";
import { randomUUID } from "node:crypto";
import { isoTime } from "../../desk/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { sees } from "../identity/own-threads.ts";
import type { Principal } from "../identity/principal.ts";
import type { Ttl } from "../keeping/ttl.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { checkStorable } from "../runs/check-input.ts";
import { draftWrite, type StateUpdate } from "./draft-write.ts";
import { assertGateKept } from "./gate-state.ts";
import { assertHarmlessState } from "./harmless.ts";
import { emptyThread } from "./new-thread.ts";
import { graphOf } from "./thread-graph.ts";

/** An update of a thread's first states; a command writes and says where to go on. */
export interface FirstUpdate extends StateUpdate {
  command?: { update?: unknown; goto?: unknown; resume?: unknown } | undefined;
}

export interface NewThread {
  thread_id?: string | undefined;
  metadata: Record<string, unknown>;
  /** How long it is kept; `undefined`: as long as threads are by default. */
  ttl: Ttl | null | undefined;
  /** Who creates it, and owns it from then on. */
  by: Principal;
  if_exists: "raise" | "do_nothing";
  /** States to begin with, one after the other, each of updates in the names of nodes. */
  supersteps: FirstUpdate[][];
}

/**
 * Creates a thread, with first states where some are given; gives the one there is where that is wanted.
 *
 * @throws {ServerError} `thread_exists`, `invalid_request`, `not_supported`. There is no new thread then.
 */
export async function createThread(parts: ServerParts, wanted: NewThread): Promise<ThreadRow> {
  const { ports, manager } = parts;
  const { thread_id = randomUUID(), metadata, ttl = parts.ttl, by, supersteps } = wanted;
  const at = isoTime(ports.clock);
  const row = emptyThread(thread_id, metadata, { at, owner: by.id, ttl });
  if (supersteps.length === 0) return add(parts, row, wanted);
  const existing = await ports.threads.get(thread_id);
  if (existing || (await ports.threads.isOfOthers(thread_id, by))) return add(parts, row, wanted);
  return manager.alone(thread_id, async () => {
    const { graph_id, assistant_id, graph } = await graphOf(parts, row);
    const updates = supersteps.map((step) => step.map(asUpdate));
    await checkStorable(parts.checkpointer, supersteps, "supersteps");
    const drafted = await draftWrite(parts, graph, { thread_id }, updates);
    await assertGateKept(parts, graph_id, { before: null, after: drafted.state });
    await assertHarmlessState(parts, graph_id, drafted.state);
    const metadata_json = JSON.stringify({ ...metadata, graph_id, assistant_id });
    // Its first states are written by this process, which has it until then.
    const lane_owner = ports.leases.owner_id;
    const first: ThreadRow = { ...row, graph_id, assistant_id, metadata_json, lane_owner };
    // Somebody else may have created it meanwhile: then these states are not its.
    if (!(await ports.threads.add(first, by))) return add(parts, first, wanted);
    await drafted.commit();
    return first;
  });
}

async function add({ ports }: ServerParts, row: ThreadRow, { by, if_exists }: NewThread): Promise<ThreadRow> {
  if (await ports.threads.add(row, by)) return row;
  const there = await ports.threads.get(row.thread_id);
  // The thread of somebody else is not given away, by whichever name it was asked for.
  if (if_exists === "do_nothing" && there !== undefined && sees(by, there)) return there;
  throw new ServerError("thread_exists", `There is a thread "${row.thread_id}" already.`);
}

function asUpdate({ values, command, as_node }: FirstUpdate): StateUpdate {
  if (command === undefined) return { values, as_node };
  const { update, goto, resume } = command;
  if (resume !== undefined && resume !== null) {
    const message = '"command.resume" answers a question, and a new thread has none.';
    throw new ServerError("invalid_request", message);
  }
  return {
    values: new Command({
      ...(update !== undefined && update !== null && { update: update as Record<string, unknown> }),
      ...(goto !== undefined && goto !== null && { goto: goto as string | string[] }),
    }),
    as_node,
  };
}
