import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { inProcess } from "./in-process.ts";
import { longThread } from "./long-thread.ts";
import { overHttp } from "./over-http.ts";
import { ms, type Figures } from "./stats.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 200);
const TURNS = (process.env["TURNS"] ?? "20,100,400").split(",").map(Number);

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
try {
  console.log(machine());
  console.log(`${ROUNDS} rounds, both sides in turn; milliseconds`);

  heading("in one process", "bare LangGraph", "gated");
  for (const { name, bare, gated, goal } of await inProcess(folder, ROUNDS)) row(name, bare, gated, goal);

  heading("over HTTP", "createEmbedServer", "Countersign");
  const { embed, ours } = await overHttp(folder, Math.ceil(ROUNDS / 2));
  row("decision", embed, ours, 0.6);

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
  const pair = (one: Figures): string => `  ${ms(one.median)} ${ms(one.p95)}`.padStart(18);
  console.log(
    `${name.padEnd(18)}${pair(left)}${pair(right)}${ratio.toFixed(2).padStart(8)}  ≤ ${goal} ${verdict}`,
  );
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
