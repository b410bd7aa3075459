import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { closingLine } from "./tests/setup/reporter.ts";

export default defineConfig({
  resolve: {
    alias: { countersign: fileURLToPath(new URL("src/index.ts", import.meta.url)) },
  },
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: ["tests/setup/global.ts"],
    setupFiles: ["tests/setup/quiet.ts"],
    reporters: ["default", closingLine()],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
