import { mkdtemp, rm, symlink, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { scriptedModel } from "../../src/models/index.ts";

type Step = Exclude<Parameters<typeof scriptedModel>[0][number], (...given: never[]) => unknown>;

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A folder of somebody who has this package and LangChain installed, with files in it. */
export async function tempProject(files: Record<string, unknown> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-cli-"));
  await mkdir(join(folder, "node_modules"));
  await symlink(root, join(folder, "node_modules/countersign"));
  await symlink(join(root, "node_modules/@langchain"), join(folder, "node_modules/@langchain"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

export function removeProject(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** The source of a graph with one tool, `remove`, under a policy, and a model that says these steps. */
export function graphWith(policy: unknown, steps: Step[] = [{ content: "Hello." }]): string {
  return `
import { tool } from "@langchain/core/tools";
import { createApprovalAgent, scriptedModel } from "countersign";
const remove = tool(() => "removed", {
  name: "remove",
  description: "Remove a file.",
  schema: { type: "object", properties: { path: { type: "string" } } },
});
export const agent = createApprovalAgent({
  model: scriptedModel(${JSON.stringify(steps)}),
  tools: [remove],
  policy: ${JSON.stringify(policy)},
});
`;
}
