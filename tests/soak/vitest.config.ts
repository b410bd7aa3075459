import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { closingLine } from "../setup/reporter.ts";

/** The long stories: `npm run soak`. What measures runs alone, and what kills after that, side by side. */
// eslint-disable-next-line no-restricted-syntax -- that is where vitest reads it.
export default defineConfig({
  root: fileURLToPath(new URL("../../", import.meta.url)),
  resolve: {
    alias: { countersign: fileURLToPath(new URL("../../src/index.ts", import.meta.url)) },
  },
  test: {
    include: [
      "tests/soak/*.soak.ts",
      "tests/stories/{random-kills,kill-windows,kill-windows-beside}.test.ts",
    ],
    env: { STORY_ROUNDS: process.env["STORY_ROUNDS"] ?? "200", STORY_WINDOWS: "all" },
    globalSetup: ["tests/setup/global.ts"],
    setupFiles: ["tests/setup/quiet.ts"],
    reporters: ["verbose", closingLine()],
    pool: "forks",
    maxWorkers: 2,
  },
});
