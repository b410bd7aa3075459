import { setImmediate as nextTurn } from "node:timers/promises";
import { format } from "node:util";
import { afterAll, afterEach, expect, vi } from "vitest";

/*
 * A test that prints to the console, or makes Node.js print a warning, fails. A test that expects output says so with
 * a spy of its own, `vi.spyOn(console, "warn").mockImplementation(…)`, which stands in front of this one.
 */

const seen: string[] = [];
const methods = ["debug", "error", "info", "log", "trace", "warn"] as const;

for (const method of methods) {
  console[method] = (...args: unknown[]) => void seen.push(`console.${method}: ${format(...args)}`);
}

process.on("warning", (warning) => {
  // These two tell of the Node.js version and of dependencies, not of what the test did.
  if (["ExperimentalWarning", "DeprecationWarning"].includes(warning.name)) return;
  seen.push(`process warning: ${warning.name}: ${warning.message}`);
});

async function expectSilence(): Promise<void> {
  // Process warnings are emitted one tick after their cause.
  await nextTurn();
  const output = seen.splice(0);
  expect(output, "unexpected console output or process warning").toEqual([]);
}

afterEach(expectSilence);
afterAll(expectSilence);

// Stories start real processes and kill them, package tests run compilers; on a small machine both take their time.
if (/\/tests\/(stories|package)\//.test(expect.getState().testPath ?? "")) {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
}
