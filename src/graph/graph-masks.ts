// A registered symbol, so that a gate of another copy of this package is understood.
const MASKS = Symbol.for("countersign.masks/1");

/** Writes the masks of a gate's policy on its node, for whoever shows what its graph says. */
export function markMasks(node: object, masks: readonly string[]): void {
  Object.defineProperty(node, MASKS, { value: masks });
}

/** What is read of a compiled graph, of whatever kind. All of it may be missing. */
interface Inside {
  nodes?: Record<string, { bound?: { func?: object } }>;
  getSubgraphs?: (namespace?: string, recurse?: boolean) => Iterable<[string, unknown]>;
}

/** The masks of the policies behind the gates of a graph and of those in it. */
export function masksIn(graph: object): string[] {
  const gates = gatesIn(graph) as { [MASKS]?: readonly string[] }[];
  return [...new Set(gates.flatMap((gate) => gate[MASKS] ?? []))];
}

/** What the nodes of a graph and of those in it run, gates among them. */
export function gatesIn(graph: object): object[] {
  const outer = graph as Inside;
  const inner = [...(outer.getSubgraphs?.(undefined, true) ?? [])].map(([, one]) => one as Inside);
  const nodes = [outer, ...inner].flatMap((one) => Object.values(one.nodes ?? {}));
  return nodes.flatMap(({ bound }) => bound?.func ?? []);
}
