import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seedWorkspace, workspaceTools } from "../../src/tools/index.ts";
import { tempWorkspace } from "./temp-workspace.ts";

describe("seedWorkspace", () => {
  it("makes a workspace whose files and database the tools can use", async () => {
    const root = join(tempWorkspace().base, "new", "workspace");
    expect(seedWorkspace(root)).toBe(true);
    const tools = new Map(workspaceTools(root).map((each) => [each.name, each]));
    expect(await tools.get("list_files")?.invoke({ path: "notes" })).toMatch(/^old\.md .*\ntodo\.md /u);
    const rows: unknown = await tools
      .get("sql_query")
      ?.invoke({ database: "data/shop.db", sql: "SELECT count(*) AS n FROM orders" });
    expect(rows).toBe("n\n4");
  });

  it("does nothing in a folder that exists", () => {
    const root = join(tempWorkspace().base, "mine");
    mkdirSync(root);
    expect(seedWorkspace(root)).toBe(false);
    expect(readdirSync(root)).toEqual([]);
  });
});
