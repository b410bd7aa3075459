import type { StateSnapshot } from "@langchain/langgraph";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { toJson } from "../to-json.ts";

/** Where the gate of an agent keeps in the state what a run may not do. That is nobody's to write. */
const OVERLAYS = "approval_overlays";

type Gates = Pick<ServerParts, "isGated">;
type Values = Pick<StateSnapshot, "values">;

/** Refuses an update that names the gate's own key. @throws {ServerError} `invalid_request` */
export async function assertOwnKeys({ isGated }: Gates, graph_id: string, update: unknown): Promise<void> {
  if (typeof update !== "object" || update === null) return;
  // LangGraph takes pairs of a key and a value as well.
  const keys = Array.isArray(update)
    ? update.map((pair: unknown) => (Array.isArray(pair) ? (pair[0] as unknown) : pair))
    : Object.keys(update);
  if (keys.includes(OVERLAYS) && (await isGated(graph_id))) throw refusal();
}

/** Refuses a write by what it would make of the gate's own key, in whatever form. @throws {ServerError} `invalid_request` */
export async function assertGateKept(
  { isGated }: Gates,
  graph_id: string,
  { before, after }: { before: Values | null; after: Values },
): Promise<void> {
  if (toJson(overlaysIn(before)) !== toJson(overlaysIn(after)) && (await isGated(graph_id))) throw refusal();
}

function overlaysIn(state: Values | null): unknown {
  return (state?.values as Record<string, unknown> | null | undefined)?.[OVERLAYS] ?? [];
}

function refusal(): ServerError {
  const message = "is kept by the gate; send a policy in a run's context to tighten it";
  return new ServerError("invalid_request", `"values.${OVERLAYS}" ${message}.`, {
    errors: [{ path: `values.${OVERLAYS}`, message }],
  });
}
