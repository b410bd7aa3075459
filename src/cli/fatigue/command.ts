import type { Command } from "commander";
import { newCommand } from "../command.ts";
import type { FatigueOptions } from "./show.ts";

/** `countersign fatigue`: how the reviewers fare. */
export function fatigueCommand(): Command {
  return newCommand("fatigue", "tell how often people are asked, how they decide, and what was saved")
    .option("--last <time>", "how far back, as 12h or 30d", "7d")
    .action(async (options: FatigueOptions) => (await import("./show.ts")).showFatigue(options));
}
