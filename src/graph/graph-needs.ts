import { gatesIn } from "./graph-masks.ts";

// A registered symbol, so that a gate of another copy of this package is understood.
const NEEDS = Symbol.for("countersign.needs-identities/1");

/** Writes on a gate's node what of its policy cannot be kept where nobody says who they are, as a path. */
export function markNeeds(node: object, path: string | undefined): void {
  if (path !== undefined) Object.defineProperty(node, NEEDS, { value: path });
}

/** The first such path of the policies behind the gates of a graph and of those in it. */
export function needsIn(graph: object): string | undefined {
  return gatesIn(graph).flatMap((gate) => (gate as { [NEEDS]?: string })[NEEDS] ?? [])[0];
}
