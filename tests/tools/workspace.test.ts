import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveInWorkspace } from "../../src/tools/index.ts";
import { locate } from "../../src/tools/workspace.ts";
import { tempWorkspace } from "./temp-workspace.ts";

function filled() {
  const { root, outside, base } = tempWorkspace();
  mkdirSync(join(root, "notes"));
  writeFileSync(join(root, "notes", "a.md"), "a");
  writeFileSync(join(outside, "secret"), "s");
  symlinkSync("notes", join(root, "inner"));
  symlinkSync(join(root, "notes", "a.md"), join(root, "absolute"));
  symlinkSync("../outside", join(root, "out"));
  symlinkSync("nowhere", join(root, "dangling"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync(root, join(base, "alias"));
  return { root, outside, base };
}

describe("resolveInWorkspace", () => {
  it.each([
    [".", ""],
    ["", ""],
    ["notes", "notes"],
    ["./notes//a.md", "notes/a.md"],
    ["notes/../notes/a.md", "notes/a.md"],
    ["inner/a.md", "notes/a.md"],
    ["inner/new/deep.md", "notes/new/deep.md"],
    ["absolute", "notes/a.md"],
    ["new.md", "new.md"],
    ["..notes", "..notes"],
  ])("follows %j to %j", (path, relative) => {
    expect(resolveInWorkspace(filled().root, path)).toEqual({ relative });
  });

  it.each([
    [".."],
    ["../outside/secret"],
    ["notes/../../outside/secret"],
    ["/etc/passwd"],
    ["out"],
    ["out/secret"],
    ["out/../workspace/notes/a.md"],
    ["inner/../../outside/secret"],
    ["new/../notes"],
    ["dangling"],
    ["loop"],
    ["notes/a.md\0.txt"],
    ["notes/a.md/x"],
  ])("does not follow %j", (path) => {
    expect(resolveInWorkspace(filled().root, path)).toBeNull();
  });

  it("takes a root that is a link for the folder it leads to", () => {
    expect(resolveInWorkspace(join(filled().base, "alias"), "notes/a.md")).toEqual({
      relative: "notes/a.md",
    });
  });

  it("cannot tell anything of a root that does not exist", () => {
    expect(resolveInWorkspace(join(filled().base, "gone"), "a")).toBeNull();
  });

  it("never throws, and never names a path with a way up", () => {
    const { root } = filled();
    const part = fc.oneof(
      fc.constantFrom("..", ".", "", "notes", "inner", "out", "loop", "a.md"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const relative = resolveInWorkspace(root, parts.join("/"))?.relative ?? "";
        expect(relative.split("/")).not.toContain("..");
        expect(relative.startsWith("/")).toBe(false);
      }),
    );
  });
});

describe("the protected folder", () => {
  it.each([
    [".countersign"],
    [".countersign/state.db"],
    [".Countersign/x"],
    ["notes/../.countersign"],
    ["sub/.countersign/a"],
  ])("is out of reach as %j", (path) => {
    const { root } = filled();
    mkdirSync(join(root, ".countersign"));
    expect(() => locate(root, path)).toThrow(/out of reach/u);
  });

  it("is out of reach through a link", () => {
    const { root } = filled();
    mkdirSync(join(root, ".countersign"));
    symlinkSync(".countersign", join(root, "innocent"));
    expect(() => locate(root, "innocent/state.db")).toThrow(/out of reach/u);
  });

  it("does not take a name that only resembles it", () => {
    expect(locate(filled().root, ".countersigned/x").name).toBe("x");
  });
});
