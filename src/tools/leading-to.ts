import type { RiskOptions } from "../graph/with-risk.ts";
import { resolveInWorkspace } from "./workspace.ts";

/** Says which arguments are paths of the workspace, and where they lead, so that a policy can tell. */
export function leadingTo(
  root: string,
  names: readonly string[],
): Required<Pick<RiskOptions, "paths" | "resolvePath">> {
  return { paths: names, resolvePath: (path) => resolveInWorkspace(root, path)?.relative ?? null };
}
