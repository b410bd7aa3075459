import type { Fatigue } from "../../desk/index.ts";
import { Client } from "../client.ts";
import { printResult, type OutputOptions } from "../print.ts";
import { labelled } from "../labelled.ts";
import { exact } from "../readable.ts";
import { table } from "../table.ts";
import { COLUMNS, wrap } from "../wrap.ts";

export interface FatigueOptions extends OutputOptions {
  last: string;
}

const MOST_CAUSES = 10;

/** `fatigue`: the figures as a page of text. */
export async function showFatigue(options: FatigueOptions): Promise<void> {
  const figures = await new Client().send<Fatigue>("/fatigue", { query: { last: options.last } });
  printResult(options, figures, () => [
    ...loadLines(figures, options.last),
    ...decisionLines(figures),
    ...savedLines(figures),
    ...causeLines(figures),
    ...reviewerLines(figures),
  ]);
}

function loadLines({ load, pending, is_whole }: Fatigue, last: string): string[] {
  const { asks, per_hour, hours_over_6, hours_over_12, floods, busiest_hour } = load;
  return [
    ...labelled("asked", `${counted(asks, "time")} in the last ${last}, ${per_hour.toFixed(1)} an hour`),
    ...labelled(
      "busy",
      `${counted(hours_over_6, "hour")} over 6, ${hours_over_12} over 12; ${counted(floods.length, "flood")}; at most ${busiest_hour?.asks ?? 0} in an hour`,
    ),
    ...labelled(
      "pending",
      `${pending.count}${pending.oldest_age_ms === null ? "" : `, the oldest for ${duration(pending.oldest_age_ms)}`}`,
    ),
    ...(is_whole ? [] : ["There was more than is read at once: these are the oldest of that time."]),
  ];
}

function decisionLines({ approved, expired, repeated, time_to_decide }: Fatigue): string[] {
  const { median_ms, known, unknown, too_quick } = time_to_decide;
  const seen = median_ms === null ? "not known" : `${duration(median_ms)} at the median`;
  return [
    ...labelled(
      "approved",
      `${percent(approved)} of what people decided; ${percent(expired)} of the questions expired`,
    ),
    ...labelled("repeated", `${percent(repeated)} of the questions were like one before`),
    ...labelled(
      "time",
      `${seen}; ${percent(too_quick)} quicker than the text takes (${known} known, ${unknown} not)`,
    ),
  ];
}

function savedLines({ saved }: Fatigue): string[] {
  const by = saved.by
    .slice(0, 5)
    .map(({ kind, id, calls }) => `${calls} by ${kind}${id === null ? "" : ` ${id}`}`);
  return [
    ...labelled("saved", `${counted(saved.total, "question")}${by.length === 0 ? "" : `: ${by.join(", ")}`}`),
  ];
}

function causeLines({ causes }: Fatigue): string[] {
  if (causes.length === 0) return [];
  const rows = causes
    .slice(0, MOST_CAUSES)
    .map(({ tool, rules, asks, share, approved, changed }) => [
      exact(tool),
      rules.length === 0 ? "-" : exact(rules.join(" ")),
      String(asks),
      percent(share),
      percent(approved),
      String(changed),
    ]);
  const hints = causes.flatMap(({ tool, hint }) =>
    hint === null ? [] : wrap(exact(`${tool}: ${hint}`), COLUMNS),
  );
  return ["", ...table(["what asked", "rules", "asks", "share", "approved", "changed"], rows), ...hints];
}

function reviewerLines({ reviewers }: Fatigue): string[] {
  const named = reviewers.filter(({ reviewer, signs }) => reviewer !== null || signs.length > 0);
  if (named.length === 0) return [];
  const rows = named.map(({ reviewer, decisions, approved, most_per_hour, signs }) => [
    exact(reviewer ?? "somebody"),
    String(decisions),
    percent(approved),
    String(most_per_hour),
    signs.join("; "),
  ]);
  return ["", ...table(["who", "decisions", "approved", "most an hour", "signs"], rows)];
}

/** `1 question`, `2 questions`. */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function percent(share: number | null): string {
  return share === null ? "-" : `${Math.round(share * 100)} %`;
}

function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
