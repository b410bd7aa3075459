import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { riskOf } from "../../src/graph/with-risk.ts";
import { workspaceTools } from "../../src/tools/index.ts";

const root = mkdtempSync(join(tmpdir(), "countersign-paths-"));
mkdirSync(join(root, "scratch"));
symlinkSync(tmpdir(), join(root, "out"));

describe("the paths of workspace tools", () => {
  it.each(workspaceTools(root).filter((tool) => riskOf(tool)?.paths))(
    "$name says where they lead",
    (tool) => {
      const resolve = riskOf(tool)?.resolvePath;
      expect(resolve?.("scratch/../scratch/a.md")).toBe("scratch/a.md");
      expect(resolve?.(".")).toBe("");
      expect(resolve?.("../a.md")).toBeNull();
      expect(resolve?.("out/a.md")).toBeNull();
    },
  );
});
