import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { newFolder } from "./story.ts";

const mounted: string[] = [];
afterAll(() => {
  for (const path of mounted.splice(0)) execFileSync("umount", ["-l", path]);
});

/** A disk of so many KiB that holds nothing else, or why there can be none. */
export function smallDisk(kib: number): { path: string } | { missing: string } {
  const path = join(newFolder(), "disk");
  mkdirSync(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", path], { stdio: "pipe" });
    mounted.push(path);
    return { path };
  } catch (error) {
    const missing = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { missing: missing ?? "" };
  }
}

/** Lets a small disk be written again, or not any more. Nothing on it may be open for writing. */
export function remount(path: string, as: "ro" | "rw"): void {
  execFileSync("mount", ["-o", `remount,${as}`, path]);
}

/** Whether this user may mount disks, and if not, says once that something is left out. */
export function mayMount(): boolean {
  const disk = smallDisk(64);
  if ("path" in disk) return true;
  process.stdout.write(`Tests of a full and of a read-only disk are skipped: ${disk.missing}\n`);
  return false;
}
