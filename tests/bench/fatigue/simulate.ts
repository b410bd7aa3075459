import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createApprovalAgent,
  openDesk,
  openLedger,
  scriptedModel,
  workspaceTools,
  type LedgerEvent,
  type PolicyInput,
  type Step,
} from "../../../src/index.ts";
import { momentOf, type Turn } from "./day.ts";
import { callKey, Reviewer, timeFor } from "./reviewer.ts";

/** What a day came to under one policy. */
export interface DayFigures {
  calls: number;
  /** Questions that a person was asked. */
  prompts: number;
  /** Calls that nobody was asked about, by what that is owed to. */
  saved: Record<Saving, number>;
  /** Calls that nobody would want and that ran all the same. */
  letThrough: string[];
  /** Calls that somebody wanted and that did not run. */
  heldBack: number;
  busiestHour: number;
  hoursOver6: number;
  hoursOver12: number;
}

export const SAVINGS = ["declared safe", "rule", "denied", "grant", "allowance", "repeat or budget"] as const;
export type Saving = (typeof SAVINGS)[number];

/** Runs a day through real agents under a policy, with a hand-held clock, tools that only note what they were given. */
export async function simulate(day: readonly Turn[], policy: PolicyInput): Promise<DayFigures> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-day-"));
  const ledger = await openLedger("memory:");
  let now = 0;
  const clock = (): number => now;
  const desk = openDesk(ledger, { clock });
  const harms = new Set(day.flatMap(({ harm, calls }) => (harm === undefined ? [] : calls.map(callKey))));
  const reviewer = new Reviewer(harms);
  const ran: string[] = [];
  const steps = stepsOf(day);
  const agents = new Map(
    [...steps].map(([thread, script]) => [
      thread,
      createApprovalAgent({
        ...{ policy, ledger, clock, model: scriptedModel(script), checkpointer: new MemorySaver() },
        tools: noting(workspaceTools(folder), ran),
        async answer(approval) {
          await desk.shown(approval.approval_id);
          now += timeFor(approval);
          return reviewer.decide(approval);
        },
      }),
    ]),
  );
  try {
    for (const turn of day) {
      now = Math.max(now, momentOf(turn));
      const config = { configurable: { thread_id: turn.thread } };
      await agents.get(turn.thread)?.invoke({ messages: [new HumanMessage(turn.said)] }, config);
    }
    const events = await ledger.events({ limit: 10_000 });
    const { load } = await desk.fatigue({ lastMs: 24 * 3_600_000 });
    const saved = savedIn(events);
    const calls = day.reduce((sum, turn) => sum + turn.calls.length, 0);
    return {
      calls,
      prompts: load.asks,
      saved,
      letThrough: ran.filter((key) => harms.has(key)),
      heldBack: calls - harms.size - ran.filter((key) => !harms.has(key)).length,
      busiestHour: load.busiest_hour?.asks ?? 0,
      hoursOver6: load.hours_over_6,
      hoursOver12: load.hours_over_12,
    };
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the model says on each thread: the calls of a turn, then a word to end it. */
function stepsOf(day: readonly Turn[]): Map<string, Step[]> {
  const steps = new Map<string, Step[]>();
  for (const [index, { thread, calls }] of day.entries()) {
    const script = steps.get(thread) ?? [];
    steps.set(thread, script);
    script.push(
      { tool_calls: calls.map(({ tool, args }, place) => ({ id: `c${index}_${place}`, name: tool, args })) },
      { content: "Done." },
    );
  }
  return steps;
}

/** The tools with their schemas and their declared risk; instead of their work they note the call. */
function noting(tools: ReturnType<typeof workspaceTools>, ran: string[]): ReturnType<typeof workspaceTools> {
  for (const tool of tools) {
    const func = (args: Record<string, unknown>): Promise<string> => {
      ran.push(callKey({ tool: tool.name, args }));
      return Promise.resolve("done");
    };
    Object.assign(tool, { func });
  }
  return tools;
}

function savedIn(events: readonly LedgerEvent[]): Record<Saving, number> {
  const saved = Object.fromEntries(SAVINGS.map((name) => [name, 0])) as Record<Saving, number>;
  for (const event of events) {
    const saving = savingOf(event);
    if (saving !== undefined) saved[saving] += 1;
  }
  return saved;
}

function savingOf(event: LedgerEvent): Saving | undefined {
  if (event.type === "tool_call_started") {
    const { tier, base } = event.data;
    if (tier === "deny") return "denied";
    if (tier === "approve") return undefined;
    return base === "approve" ? "rule" : "declared safe";
  }
  if (event.type !== "approval_resolved") return undefined;
  switch (event.data.decision.decided_by.kind) {
    case "grant":
    case "allowance":
      return event.data.decision.decided_by.kind;
    case "policy":
      return "repeat or budget";
    default:
      return undefined;
  }
}
