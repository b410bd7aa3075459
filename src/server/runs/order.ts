import type { ThreadRow } from "../database/tables.ts";

/** What a client may say about how a run is run. Kept with the thread, and given again on every resume. */
export interface Order {
  context?: Record<string, unknown>;
  configurable?: Record<string, unknown>;
  tags?: string[];
  metadata?: Record<string, unknown>;
  recursion_limit?: number;
}

/** Keys of `configurable` that are the server's: they say where a run stands, and steer LangGraph itself. */
const OURS = new Set([
  ...["thread_id", "run_id", "graph_id", "assistant_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map"],
  ...["checkpoint", "durability"],
]);

/** A client's `configurable` without what is not the client's to say. */
export function cleanConfigurable(
  configurable: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(configurable ?? {}).filter(
      ([key]) => !OURS.has(key) && !key.startsWith("__") && !key.startsWith("countersign_"),
    ),
  );
}

/** The order of a resume: what the run began with, and what the resume adds. LangGraph itself would forget the first. */
export function resumeOrder({ order_json }: Pick<ThreadRow, "order_json">, given: Order = {}): Order {
  const begun = order_json === null ? {} : (JSON.parse(order_json) as Order);
  const context = merged(begun.context, given.context);
  const configurable = merged(begun.configurable, given.configurable);
  return { ...begun, ...given, ...(context && { context }), ...(configurable && { configurable }) };
}

function merged(
  begun: Record<string, unknown> | undefined,
  given: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  return begun || given ? { ...begun, ...given } : undefined;
}
