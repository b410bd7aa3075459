import type { Reporter, TestModule } from "vitest/node";

interface Counts {
  passed: number;
  failed: number;
}

/** Counts tests; a file that failed as a whole, outside its tests, counts as one failure. */
export function count(modules: readonly TestModule[], unhandledErrors: number): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors };
  for (const module of modules) {
    const before = counts.failed;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") counts.passed += 1;
      if (state === "failed") counts.failed += 1;
    }
    if (!module.ok() && counts.failed === before) counts.failed += 1;
  }
  return counts;
}

/** Ends the run with one plain line: `N passed, N failed`. */
export function closingLine({ write = (line: string) => void process.stdout.write(line) } = {}): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const { passed, failed } = count(modules, unhandledErrors.length);
      write(`${passed} passed, ${failed} failed\n`);
    },
  };
}
