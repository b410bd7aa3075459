import { needsIn } from "../graph/graph-needs.ts";
import { StartError, type Graphs } from "../server/index.ts";

/**
 * Refuses graphs whose policies count, name or part people, on a server to which nobody says who they are: what they
 * ask could be decided by nobody.
 *
 * @throws {StartError} `identity_required`
 */
export async function assertIdentities(
  graphs: Graphs,
  identity: { isNeeded: () => Promise<boolean> },
  store: string,
): Promise<void> {
  if (await identity.isNeeded()) return;
  for (const graph_id of graphs.ids()) {
    const path = needsIn(await graphs.get(graph_id));
    if (path === undefined) continue;
    const message =
      `The policy of the graph "${graph_id}" has \`${path}\`, which needs to know who people are, and nobody says so ` +
      `to this server. Make tokens first: "countersign token create --name you --role reviewer --store ${store}". ` +
      `Or name an issuer of JWTs.`;
    throw new StartError("identity_required", message);
  }
}
