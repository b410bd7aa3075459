import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { workspaceTools } from "../../src/tools/index.ts";
import type { WorkspaceToolsOptions } from "../../src/tools/index.ts";

export interface TempWorkspace {
  /** Holds the workspace and what is outside of it. */
  base: string;
  root: string;
  outside: string;
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<string>;
}

const made: string[] = [];

afterEach(() => {
  for (const base of made.splice(0)) rmSync(base, { recursive: true, force: true });
});

/** A workspace in a temporary folder, with a folder beside it that no tool may reach. */
export function tempWorkspace(options: WorkspaceToolsOptions = {}): TempWorkspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "countersign-tools-")));
  made.push(base);
  const root = join(base, "workspace");
  const outside = join(base, "outside");
  for (const folder of [root, outside]) mkdirSync(folder);
  const tools = new Map(workspaceTools(root, options).map((each) => [each.name, each]));
  return {
    base,
    root,
    outside,
    call: async (name, args, signal) => {
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      const result: unknown = await tool.invoke(args, signal === undefined ? {} : { signal });
      return String(result);
    },
  };
}
