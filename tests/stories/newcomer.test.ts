import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { cli, newFolder, serveBundled } from "./story.ts";

const run = promisify(execFile);

it("reads at once and deletes after the approval, for a newcomer with the bundled agent", async () => {
  const folder = newFolder();
  const server = await serveBundled(folder);
  const old = join(folder, "workspace/notes/old.md");
  expect(existsSync(old)).toBe(true);

  const thread_id = await server.begin("delete notes/old.md and show me notes/todo.md");
  const approval = await server.pending(thread_id);
  expect(approval).toMatchObject({ tool: "delete_file", args: { path: "notes/old.md" }, tier: "approve" });
  expect(await server.status(thread_id)).toBe("interrupted");
  expect(existsSync(old)).toBe(true);
  const { body } = await server.get(`/audit?thread_id=${thread_id}`);
  const results = (body["events"] as unknown as Record<string, unknown>[]).filter(
    ({ type }) => type === "tool_result",
  );
  expect(results).toMatchObject([{ tool: "read_file", ok: true, outcome: "done" }]);

  const { status } = await server.decide(approval.approval_id, { type: "approve" });
  expect(status).toBe(200);
  expect(existsSync(old)).toBe(false);
  expect(await server.status(thread_id)).toBe("idle");
  const types = (await server.messages(thread_id)).map((text) => text.split(":", 1)[0]);
  expect(types).toEqual(["human", "ai", "tool", "tool", "ai"]);

  const env = { PATH: process.env["PATH"] ?? "", COUNTERSIGN_URL: server.url };
  const { stdout } = await run(process.execPath, [cli, "audit", "verify", "--json"], { env, cwd: folder });
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, threads: 1, broken: [] });
  expect(server.stderr()).toBe("");
});
