import { readFileSync } from "node:fs";
import type { PolicyInput } from "../../../src/index.ts";
import { readDay } from "./day.ts";
import { largePolicy, medianOf } from "./judging.ts";
import { SAVINGS, simulate, type DayFigures } from "./simulate.ts";

const day = readDay();
const columns: [string, DayFigures][] = [];
for (const name of ["no policy", "careful", "everyday"]) {
  process.stderr.write(`${name} … `);
  const from = performance.now();
  columns.push([name, await simulate(day, policyNamed(name))]);
  process.stderr.write(`${((performance.now() - from) / 1_000).toFixed(1)} s\n`);
}

const calls = columns[0]?.[1].calls ?? 0;
console.log(`A day of ${calls} calls, hand-held clock, one reviewer who reads everything\n`);
row("", ["ask always", ...columns.map(([name]) => name)]);
row("prompts shown", [calls, ...columns.map(([, { prompts }]) => prompts)]);
row("prompts saved", [0, ...columns.map(([, figures]) => figures.calls - figures.prompts)]);
for (const saving of SAVINGS) row(`  ${saving}`, [0, ...columns.map(([, { saved }]) => saved[saving])]);
row("unwanted calls that ran", [0, ...columns.map(([, { letThrough }]) => letThrough.length)]);
row("wanted calls that did not", [0, ...columns.map(([, { heldBack }]) => heldBack)]);
row("busiest hour (6 is fine)", ["", ...columns.map(([, { busiestHour }]) => busiestHour)]);
row("hours over 6", ["", ...columns.map(([, { hoursOver6 }]) => hoursOver6)]);
row("hours over 12", ["", ...columns.map(([, { hoursOver12 }]) => hoursOver12)]);
for (const [name, { letThrough }] of columns)
  for (const key of letThrough) console.log(`\n${name} let through: ${key}`);

console.log("\nJudging one call, median of 400 different ones");
for (const rules of [10, 100, 1_000])
  console.log(`${String(rules).padStart(6)} rules ${medianOf(largePolicy(rules)).toFixed(3).padStart(8)} ms`);

function row(name: string, cells: (string | number)[]): void {
  console.log(name.padEnd(28) + cells.map((cell) => String(cell).padStart(12)).join(""));
}

function policyNamed(name: string): PolicyInput {
  if (name === "no policy") return { version: 1 };
  const path = new URL(`../../../graphs/policies/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")) as PolicyInput;
}
