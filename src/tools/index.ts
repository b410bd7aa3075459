export { seedWorkspace } from "./sample-workspace.ts";
export { resolveInWorkspace } from "./workspace.ts";
export { workspaceTools } from "./workspace-tools.ts";

export type { WorkspaceToolsOptions } from "./workspace-tools.ts";
