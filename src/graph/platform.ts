import type { LangGraphRunnableConfig } from "@langchain/langgraph";

// The keys under which LangGraph 1.7 keeps a task's private matters. This file is the only one that knows them, and
// tests/graph/platform.test.ts notices when a release moves one.
const CHECKPOINTER = "__pregel_checkpointer";
const CHECKPOINT_MAP = "checkpoint_map";
const RESUME_MAP = "__pregel_resume_map";
const SCRATCHPAD = "__pregel_scratchpad";
const READ = "__pregel_read";
export const STRICT_RESUME = "__pregel_strict_resume";

/** Where in which run a task stands. */
export interface Place {
  thread_id: string;
  task_id: string;
  /** The checkpoint namespace of the graph that the task belongs to; empty for the root graph. */
  path: string;
  /** The root graph's checkpoint. */
  checkpoint_id: string | null;
  run_id: string | null;
  graph_id: string | null;
  assistant_id: string | null;
  /** Whether a pause can be kept. */
  has_checkpointer: boolean;
}

/** Reads a task's place from the config it was called with. */
export function placeOf(config: LangGraphRunnableConfig): Place {
  const configurable = (config.configurable ?? {}) as Record<string, unknown>;
  const info = config.executionInfo;
  const namespace = text(configurable["checkpoint_ns"]) ?? "";
  const run_id = text(configurable["run_id"]) ?? text(info?.runId) ?? null;
  return {
    thread_id: text(configurable["thread_id"]) ?? text(info?.threadId) ?? `run:${run_id ?? "unnamed"}`,
    task_id: text(info?.taskId) ?? namespace,
    path: namespace.split("|").slice(0, -1).join("|"),
    checkpoint_id: rootCheckpoint(configurable) ?? text(info?.checkpointId) ?? null,
    run_id,
    graph_id: text(configurable["graph_id"]) ?? null,
    assistant_id: text(configurable["assistant_id"]) ?? null,
    has_checkpointer: Boolean(configurable[CHECKPOINTER]),
  };
}

function rootCheckpoint(configurable: Record<string, unknown>): string | undefined {
  const map = configurable[CHECKPOINT_MAP];
  return typeof map === "object" && map !== null ? text((map as Record<string, unknown>)[""]) : undefined;
}

/** Whether a graph is called from inside another graph's task, so that it is not the root. */
export function isNested(config: LangGraphRunnableConfig | undefined): boolean {
  return config?.configurable?.[READ] !== undefined;
}

/** The answers of this entry that were addressed, by interrupt id. */
export function addressedAnswers(config: LangGraphRunnableConfig): Record<string, unknown> {
  const map: unknown = config.configurable?.[RESUME_MAP];
  return typeof map === "object" && map !== null ? (map as Record<string, unknown>) : {};
}

/** Makes the next `interrupt()` of this task the one at a position, however often it was called before. */
export function seekPosition(config: LangGraphRunnableConfig, position: number): void {
  const scratchpad = scratchpadOf(config);
  if (scratchpad) scratchpad.interruptCounter = position - 1;
}

/**
 * Drops the answer at a position that was refused, so that the interrupt keeps the id it had. LangGraph counts answers
 * it was handed by id even when they were not taken.
 */
export function forgetAnswer(config: LangGraphRunnableConfig, position: number): void {
  const scratchpad = scratchpadOf(config);
  if (scratchpad?.resume && scratchpad.resume.length > position) scratchpad.resume.length = position;
  // An older answer that was addressed to nobody would be the next in line.
  delete scratchpad?.nullResume;
}

/**
 * Fills a position whose question was settled without an answer that LangGraph kept, as at the desk. Without that the
 * next question of the task would get the id of this one.
 */
export function fillPosition(config: LangGraphRunnableConfig, position: number, answer: unknown): void {
  const scratchpad = scratchpadOf(config);
  if (scratchpad?.resume?.length === position) scratchpad.resume.push(answer);
}

interface Scratchpad {
  resume?: unknown[];
  nullResume?: unknown;
  interruptCounter?: number;
  currentTaskInput?: unknown;
}

function scratchpadOf(config: LangGraphRunnableConfig): Scratchpad | undefined {
  return config.configurable?.[SCRATCHPAD] as Scratchpad | undefined;
}

/** Whether an edge is followed behind a task, and not behind a write to the state. */
export function isInTask(config: LangGraphRunnableConfig): boolean {
  return scratchpadOf(config) !== undefined;
}

/** Reads channels of the graph's state as the task sees them. Those that are empty or unknown are left out. */
export function readState(
  config: LangGraphRunnableConfig,
  channels: readonly string[],
): Record<string, unknown> {
  const read: unknown = config.configurable?.[READ];
  if (typeof read !== "function") return {};
  return (read as (select: readonly string[], fresh?: boolean) => Record<string, unknown>)(channels, true);
}

/** Makes `getCurrentTaskInput()` give the graph's state, as it does in LangGraph's own tool node. */
export function setTaskInput(config: LangGraphRunnableConfig, state: unknown): void {
  const scratchpad = scratchpadOf(config);
  if (scratchpad) scratchpad.currentTaskInput = state;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
