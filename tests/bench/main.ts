import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { inProcess } from "./in-process.ts";
import { longThread } from "./long-thread.ts";
import { overHttp } from "./over-http.ts";
import { ms, type Figures } from "./stats.ts";
import { withSdk } from "./with-sdk.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 200);
const TURNS = (process.env["TURNS"] ?? "20,100,400").split(",").map(Number);

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
try {
  console.log(machine());
  console.log(`${ROUNDS} rounds, both sides in turn; milliseconds`);

  heading("in one process", "bare LangGraph", "gated");
  for (const { name, bare, gated, goal } of await inProcess(folder, ROUNDS)) row(name, bare, gated, goal);

  heading("over HTTP", "createEmbedServer", "Countersign");
  const decision = await overHttp(folder, Math.ceil(ROUNDS / 2));
  row("decision", decision.embed, decision.ours, 0.6);

  console.log("\nthe published client, from the input to the question and from the answer to the end");
  console.log(
    `${"".padEnd(18)}${"ask    median     p95".padStart(24)}${"resume    median     p95".padStart(28)}`,
  );
  const rows = await withSdk(folder, Math.ceil(ROUNDS / 4));
  for (const { name, ask, resume } of rows)
    console.log(`${name.padEnd(18)}${pair(ask).padStart(24)}${pair(resume).padStart(28)}`);
  const [ours, embed, dev] = rows.map(({ ask, resume }) => ask.median + resume.median);
  faster("createEmbedServer", embed, ours, 1.4);
  faster("langgraphjs dev", dev, ours, 30);

  console.log("\none thread, gated, an automatic call a turn");
  console.log("turns      bytes on disk   bytes a turn   ms a turn");
  for (const { turns, bytes, ms: median } of await longThread(folder, TURNS)) {
    const each = Math.round(bytes / turns);
    console.log(`${pad(turns, 5)} ${pad(bytes, 18)} ${pad(each, 14)} ${median.toFixed(1).padStart(11)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function heading(title: string, left: string, right: string): void {
  console.log(`\n${title.padEnd(18)}${left.padStart(18)}${right.padStart(18)}`);
  console.log(
    `${"".padEnd(18)}${"median     p95".padStart(18)}${"median     p95".padStart(18)}   ratio    goal`,
  );
}

function row(name: string, left: Figures, right: Figures, goal: number): void {
  const ratio = right.median / left.median;
  const verdict = ratio <= goal ? "met" : "missed";
  console.log(
    `${name.padEnd(18)}${pair(left).padStart(18)}${pair(right).padStart(18)}${ratio.toFixed(2).padStart(8)}  ≤ ${goal} ${verdict}`,
  );
}

/** How many times faster than another server this one is, ask and resume together, at the median. */
function faster(name: string, other: number | undefined, mine: number | undefined, goal: number): void {
  const times = (other ?? NaN) / (mine ?? NaN);
  const verdict = times >= goal ? "met" : "missed";
  console.log(`${times.toFixed(1)} times faster than ${name}, goal ≥ ${goal} ${verdict}`);
}

function pair({ median, p95 }: Figures): string {
  return `${ms(median)} ${ms(p95)}`;
}

function machine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const versions = [
    "@langchain/langgraph",
    "@langchain/langgraph-checkpoint-sqlite",
    "@langchain/langgraph-api",
  ];
  const named = versions.map((name) => `${name.replace("@langchain/", "")} ${versionOf(name)}`).join(", ");
  return `${cpu?.model ?? "unknown processor"}, ${cpus().length} cores, ${memory}, Node.js ${process.version}\n${named}`;
}

function versionOf(name: string): string {
  const path = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}

function pad(value: number, width: number): string {
  return value.toLocaleString("en").padStart(width);
}
