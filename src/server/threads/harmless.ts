import type { StateSnapshot } from "@langchain/langgraph";
import type { RunnableGraph } from "../graphs/graphs.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";

type Parts = Pick<ServerParts, "isGated" | "ports">;

/**
 * Refuses a state that would let a client reach a tool around the gate of a graph. An agent of ours judges each call
 * where it runs, so any state of it is harmless. Of another graph only its own nodes know what was allowed, so what
 * comes next may be nothing, or what every input reaches first.
 *
 * @throws {ServerError} `not_supported`
 */
export async function assertHarmlessState(
  { isGated, ports }: Parts,
  graph_id: string,
  { tasks }: Pick<StateSnapshot, "tasks">,
): Promise<void> {
  if (tasks.length === 0 || (await isGated(graph_id))) return;
  const first = firstNodes(await ports.graphs.get(graph_id));
  const beyond = tasks.filter(({ name, path }) => !first.has(name) || path?.[0] === "__pregel_push");
  if (beyond.length > 0) throw refusal(beyond.map(({ name }) => name));
}

/**
 * The same for a command that jumps: `goto` may name first nodes only, and what waits already must be harmless too.
 *
 * @throws {ServerError} `not_supported`
 */
export async function assertHarmlessJump(
  parts: Parts,
  graph_id: string,
  { goto, state }: { goto: unknown; state: Pick<StateSnapshot, "tasks"> | null },
): Promise<void> {
  if (await parts.isGated(graph_id)) return;
  if (state) await assertHarmlessState(parts, graph_id, state);
  const first = firstNodes(await parts.ports.graphs.get(graph_id));
  const targets = goto === undefined || goto === null ? [] : [goto].flat();
  const beyond = targets.filter((one) => typeof one !== "string" || !(first.has(one) || one === "__end__"));
  if (beyond.length > 0) throw refusal(beyond.map(nameOf));
}

/**
 * Refuses an update of anything but the keys that a graph's state declares: LangGraph takes its own channels there too,
 * which say what runs next and what was answered.
 *
 * @throws {ServerError} `invalid_request`
 */
export function assertStateKeys(graph: RunnableGraph, update: unknown): void {
  const { builder } = graph as { builder?: { channels?: object } };
  const declared = Object.keys(builder?.channels ?? {});
  const keys = keysOf(update);
  const foreign = keys?.find((key) => !declared.includes(key) || key.startsWith("__"));
  if (keys && foreign === undefined) return;
  const message = keys ? "is no key of the graph's state" : "is no object with keys of the graph's state";
  const path = foreign === undefined ? "command.update" : `command.update.${foreign.slice(0, 80)}`;
  throw new ServerError("invalid_request", `"${path}" ${message}.`, { errors: [{ path, message }] });
}

/** LangGraph takes pairs of a key and a value as well. */
function keysOf(update: unknown): string[] | null {
  if (typeof update !== "object" || update === null) return null;
  if (!Array.isArray(update)) return Object.keys(update);
  const keys = update.map((pair: unknown) => (Array.isArray(pair) ? (pair[0] as unknown) : undefined));
  return keys.every((key) => typeof key === "string") ? keys : null;
}

function refusal(nodes: readonly string[]): ServerError {
  const names = [...new Set(nodes)].map((name) => `"${name}"`).join(", ");
  const message =
    `This would go on at ${names}, and nothing shows that no tool runs there without its approval. ` +
    "The graph has no gate of this server's in its tools node. Send an input instead.";
  return new ServerError("not_supported", message);
}

function nameOf(target: unknown): string {
  if (typeof target === "string") return target.slice(0, 80);
  const node = typeof target === "object" && target !== null && "node" in target ? target.node : undefined;
  return typeof node === "string" ? node.slice(0, 80) : "a node";
}

/** The nodes that an input reaches first. None where the graph does not say, as behind a condition without names. */
function firstNodes(graph: RunnableGraph): ReadonlySet<string> {
  const { builder } = graph as { builder?: { edges?: unknown; branches?: unknown } };
  const names = new Set(["__start__"]);
  for (const edge of builder?.edges instanceof Set ? builder.edges : [])
    if (Array.isArray(edge) && edge[0] === "__start__") names.add(String(edge[1]));
  const branches = (builder?.branches as Record<string, Record<string, Branch>> | undefined)?.["__start__"];
  for (const { ends } of Object.values(branches ?? {}))
    for (const end of Object.values(ends ?? {})) names.add(end);
  return names;
}

interface Branch {
  ends?: Record<string, string>;
}
