import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { newFolder } from "./story.ts";

/** How much a paused thread may hold, in bytes. */
const MOST = 5 * 1024;

it("holds next to nothing in memory for a thread that is paused", { timeout: 400_000 }, async () => {
  const STORE = `file:${join(newFolder(), "state.db")}`;
  const env = { PATH: process.env["PATH"] ?? "", STORE, THREADS: "500,2000" };
  const fixture = fileURLToPath(new URL("./fixtures/paused.mjs", import.meta.url));
  const child = fork(fixture, { env, execArgv: ["--expose-gc"], stdio: ["ignore", "pipe", "pipe", "ipc"] });
  let stderr = "";
  child.stderr?.on("data", (data: Buffer) => (stderr += data.toString()));
  const told: { threads?: number; heap?: number; listed?: number }[] = [];
  child.on("message", (message) => void told.push(message as (typeof told)[number]));
  const [code] = (await once(child, "exit")) as [number | null];
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [few, many, { listed } = {}] = told;
  expect(listed).toBe(1_000);
  const grown = (many!.heap! - few!.heap!) / (many!.threads! - few!.threads!);
  expect(grown).toBeLessThan(MOST);
});
