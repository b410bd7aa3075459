import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Approval } from "../../src/ledger/index.ts";
import { listOf, textOf } from "./http.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

const SEED = Number(process.env["STORY_SEED"] ?? 20_261);
const ROUNDS = Number(process.env["STORY_ROUNDS"] ?? 25);
const THREADS_A_ROUND = 2;
/** A round ends at a write, at most this one; each counts twice, before it is made and after. */
const LAST_WRITE = 60;
/** A process that has been told of goes on elsewhere for up to so many milliseconds. */
const LONGEST_MS = 10;

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What was under way when a process was killed has no answer: `fetch` throws this then. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError;
}

/** Waits for all of them. Throws the first error that is more than a lost answer, else a lost answer. */
async function allOf(work: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).filter((one) => one.status === "rejected");
  const errors = failed.map(({ reason }): unknown => reason);
  const error = errors.find((one) => !isCutOff(one)) ?? errors[0];
  if (error instanceof Error) throw error;
}

/** What was seen in all rounds, and must not be gone or otherwise later. */
class Witness {
  readonly seen = new Set<string>();
  /** What the server acknowledged, by approval. */
  readonly decided = new Map<string, string>();

  async decideAll(server: Server, random: () => number): Promise<void> {
    const pending = await server.approvals();
    for (const { approval_id } of pending) this.seen.add(approval_id);
    await allOf(pending.map((one) => this.#decide(server, one, random())));
  }

  async #decide(server: Server, { approval_id, kind }: Approval, chance: number): Promise<void> {
    // Nothing is ever told to run a second time, so that one effect for each call is the most there may be.
    const yes = kind === "outcome" ? { type: "respond", message: "done" } : { type: "approve" };
    const decision = chance < 0.75 ? yes : { type: "reject", message: "no" };
    const { status, body } = await server.post(`/approvals/${approval_id}/decision`, decision);
    expect([200, 409]).toContain(status);
    if (status === 200) this.decided.set(approval_id, textOf(body["approval"]?.["status"]));
  }
}

it(
  `keeps every promise when it is killed at any moment (STORY_SEED=${SEED})`,
  { timeout: 60_000 + ROUNDS * 20_000 },
  async () => {
    const random = numbersFrom(SEED);
    const witness = new Witness();
    const threads = new Map<string, string>();
    const { start, effects } = story([calls(["delete", "$text"], ["read", "$text"]), says("done")]);

    for (let round = 0; round < ROUNDS; round += 1) {
      const write = `write ${1 + Math.floor(random() * LAST_WRITE)}`;
      const server = await start([write]);
      const begin = async (n: number): Promise<void> => {
        const text = `r${round}-${n}`;
        const thread_id = await server.send(text);
        threads.set(thread_id, text);
        await server.untilStatus(thread_id, "interrupted");
      };
      const work = async (): Promise<void> => {
        const begun = Array.from({ length: THREADS_A_ROUND }, (_, n) => begin(n));
        await allOf([witness.decideAll(server, random), ...begun]);
        await witness.decideAll(server, random);
      };
      let isOver = false;
      const working = work()
        .catch((error: unknown) => {
          if (!isCutOff(error)) throw error;
        })
        .finally(() => (isOver = true));
      await until(() => isOver || server.isAt(write), write);
      await sleep(random() * LONGEST_MS);
      await server.kill();
      await working;
      expect(server.stderr()).toBe("");
    }

    const server = await start();
    const open = new Set(threads.keys());
    await until(async () => {
      await witness.decideAll(server, () => 0);
      for (const thread_id of open)
        if (["idle", "error"].includes(await server.status(thread_id))) open.delete(thread_id);
      return open.size === 0;
    }, `no thread was busy or interrupted any more`);
    await expectAllKept(server, { witness, threads, effects: effects() });
    expect(server.stderr()).toBe("");
  },
);

const COMPLETE = ["human", "ai", "tool", "tool", "ai"];

interface Left {
  witness: Witness;
  threads: Map<string, string>;
  effects: string[];
}

async function expectAllKept(server: Server, { witness, threads, effects }: Left): Promise<void> {
  const deleted = effects.filter((line) => line.startsWith("delete "));
  expect(deleted).toEqual([...new Set(deleted)]);
  const all = new Map(
    (await server.approvals({ status: "all" })).map((approval) => [approval.approval_id, approval]),
  );
  for (const approval_id of witness.seen) expect(all.has(approval_id), approval_id).toBe(true);
  for (const [approval_id, status] of witness.decided) expect(all.get(approval_id)?.status).toBe(status);
  for (const [thread_id, text] of threads) {
    const status = await server.status(thread_id);
    const ours = [...all.values()].filter((approval) => approval.thread_id === thread_id);
    const types = (await server.messages(thread_id)).map((message) => message.split(":", 1)[0]);
    if (types.length === 0) {
      // Either no run was begun, or its input never came to the disk, and then the thread says so.
      const { body } = await server.get(`/audit?thread_id=${thread_id}`);
      const fitting = listOf(body["events"]).length > 0 ? ["error"] : ["idle", "error"];
      expect(fitting, text).toContain(status);
      expect({ text, asked: ours.length }).toEqual({ text, asked: 0 });
      continue;
    }
    const asked = ours.filter(({ kind }) => kind === "call");
    expect({ text, status, types }).toEqual({ text, status: "idle", types: COMPLETE });
    expect({ text, statuses: asked.map((one) => one.status) }).toEqual({
      text,
      statuses: [
        deleted.includes(`delete ${text}`) ? "approved" : expect.stringMatching(/approved|rejected/),
      ],
    });
  }
  expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true, broken: [] });
}
