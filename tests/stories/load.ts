import { setTimeout as sleep } from "node:timers/promises";
import { openLedger, type Approval } from "../../src/ledger/index.ts";
import { asked, batchOf, idOf, started } from "../ledger/events.ts";
import { calls, says, type Reply } from "./plan.ts";
import type { Server } from "./server.ts";

/** How often a thread of a load asks before it has an end. */
const TURNS = 10;
/** How many requests are under way at once while threads are made. */
const AT_ONCE = 8;

/** An agent that asks again and again. */
export const ASKING: Reply[] = [
  ...Array.from({ length: TURNS }, (_, turn) => calls(["delete", `$text-${turn}`])),
  says("done"),
];

/** What a load took. */
export interface Figures {
  decisions: number;
  /** How many there were in a second: fewer than wanted where the machine is too slow. */
  per_second: number;
  /** What was answered with anything but success, each kind once. */
  errors: string[];
  p50: number;
  p95: number;
}

/** Makes threads that are paused at a question each. */
export async function pause(server: Server, count: number, name = "t"): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await server.begin(`${name}${(next += 1)}`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** How many decisions may be without an answer: past that, a client waits instead of opening more connections. */
const MOST = 64;

/** Decides so many approvals a second, at an even pace as far as the server keeps up with it. */
export async function decideAtPace(
  server: Server,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Figures> {
  const errors = new Set<string>();
  const took: number[] = [];
  const known = new Set<string>();
  const waiting: Approval[] = [];
  const sent = new Set<Promise<void>>();
  const decide = async ({ approval_id }: Approval): Promise<void> => {
    const begin = performance.now();
    const { status, body } = await server.post(`/approvals/${approval_id}/decision`, { type: "approve" });
    took.push(performance.now() - begin);
    if (status !== 200) errors.add(`${status} ${JSON.stringify(body["code"])}`);
  };
  const begin = performance.now();
  for (let n = 0; n < rate * seconds; n += 1) {
    while (waiting.length === 0) {
      const fresh = (await server.approvals()).filter(({ approval_id }) => !known.has(approval_id));
      for (const one of fresh) known.add(one.approval_id);
      waiting.push(...fresh);
      if (fresh.length === 0) await sleep(20);
    }
    await sleep(Math.max(0, begin + (n * 1_000) / rate - performance.now()));
    while (sent.size >= MOST) await Promise.race(sent);
    const one: Promise<void> = decide(waiting.shift()!).finally(() => sent.delete(one));
    sent.add(one);
  }
  await Promise.all(sent);
  const [p50, p95] = [quantile(took, 0.5), quantile(took, 0.95)];
  const per_second = Math.round((took.length * 1_000) / (performance.now() - begin));
  return { decisions: took.length, per_second, errors: [...errors], p50, p95 };
}

/** Writes pending approvals into a store that nobody serves. */
export async function seedPending(store: string, count: number): Promise<void> {
  const ledger = await openLedger(store);
  const data = started();
  for (let from = 0; from < count; from += 500) {
    const batches = Array.from({ length: Math.min(500, count - from) }, (_, n) => {
      const thread_id = `seeded-${from + n}`;
      const { tool_call_id, tool, turn_id, ...rest } = data;
      return batchOf(
        idOf(thread_id),
        null,
        [
          { type: "start", data: { tool_call_id, tool, turn_id, ...rest } },
          { type: "ask", data: asked(`apr_${(from + n).toString(16).padStart(32, "0")}`) },
        ],
        { thread_id },
      );
    });
    await ledger.appendAll(batches);
  }
  await ledger.close();
}

/** How long the first page of what is pending takes, in milliseconds at the median. */
export async function firstPageMs(server: Server, times = 50): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const begin = performance.now();
    const { body } = await server.get("/approvals?limit=100");
    took.push(performance.now() - begin);
    if ((body["approvals"] as unknown as unknown[]).length !== 100) throw new Error("The page is not full.");
  }
  return quantile(took, 0.5);
}

function quantile(numbers: readonly number[], at: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor((sorted.length - 1) * at)] ?? 0) * 10) / 10;
}

/** Says what was measured: figures are for people to read, and depend on the machine. */
export function tell(what: string, figures: object): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}
