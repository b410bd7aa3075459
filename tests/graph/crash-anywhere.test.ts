import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/index.ts";
import { bench, call, remove, results, type Bench, type State } from "./harness.ts";
import { sqliteFiles, type OpenStores } from "./stores.ts";

const sqlite = sqliteFiles();
const steps = [
  { tool_calls: [remove("a.md", "c1"), call("read_file", { path: "r" }, "c2")] },
  { content: "done" },
];

/** Dies at the nth write: before it is made, or just after. */
interface Death {
  at: number;
  when: "before" | "after";
}

class Died extends Error {}

/** An object of which `names` are writes that count. Once dead it writes nothing any more, as a dead process. */
function mortal<T extends object>(object: T, names: readonly string[], { at, when }: Death): T {
  let writes = 0;
  return new Proxy(object, {
    get(target, key): unknown {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      if (!names.includes(String(key))) return value.bind(target) as unknown;
      return async (...args: unknown[]): Promise<unknown> => {
        writes += 1;
        if (writes > at || (writes === at && when === "before")) throw new Died();
        const result: unknown = await Reflect.apply(value, target, args);
        if (writes === at) throw new Died();
        return result;
      };
    },
  });
}

/** Goes on after the death as a person would: answers what is open, otherwise just enters again. */
async function bringToEnd(one: Bench): Promise<State> {
  for (let tries = 0; tries < 6; tries += 1) {
    const [open] = await one.pending();
    const known = (await one.graph.getState(one.config as never)).values as Partial<State>;
    const isNew = (known.messages ?? []).length === 0;
    const answer = open?.kind === "outcome" ? { type: "respond", message: "settled" } : { type: "approve" };
    const state = isNew
      ? await one.ask("delete a.md, read r")
      : open
        ? await one.resume({ [open.approval_id]: answer })
        : await one.goOn();
    if (state.__interrupt__ === undefined && state.messages.at(-1)?.content === "done") return state;
  }
  throw new Error("It does not come to an end.");
}

const points = (count: number): Death[] =>
  Array.from({ length: count }, (_, n) => n + 1).flatMap((at): Death[] => [
    { at, when: "before" },
    { at, when: "after" },
  ]);

async function recoverFrom(part: "ledger" | "saver", death: Death): Promise<void> {
  const file = sqlite();
  let lives = 0;
  const stores: OpenStores = async () => {
    const { ledger, saver } = await file();
    lives += 1;
    if (lives > 1) return { ledger, saver };
    return part === "ledger"
      ? { saver, ledger: mortal<Ledger>(ledger, ["append", "appendAll"], death) }
      : { ledger, saver: mortal<BaseCheckpointSaver>(saver, ["put", "putWrites"], death) };
  };
  const first = await bench(steps, { stores });
  const life = async (): Promise<void> => {
    await first.ask("delete a.md, read r");
    await first.resume({ type: "approve" });
  };
  await life().catch(() => undefined);
  const second = await first.reopened();
  const where = `${part} ${death.when} write ${death.at}`;
  const state = await bringToEnd(second).catch(async (error: unknown) => {
    throw new Error(`${where}: ${String(error)}`, { cause: error });
  });
  expect(second.effects.deleted.length, where).toBeLessThanOrEqual(1);
  expect(Object.keys(results(state)), where).toEqual(["c1", "c2"]);
  const types = (await second.events()).map(({ type, call_id }) => `${call_id} ${type}`);
  const unique = types.filter((type) => /tool_call_started|tool_result/.test(type));
  expect(new Set(unique).size, where).toBe(unique.length);
}

describe("an agent that dies at any write", () => {
  it(
    "of its ledger runs an approved call at most once and comes to an end",
    { timeout: 60_000 },
    async () => {
      const all = await Promise.allSettled(points(7).map((death) => recoverFrom("ledger", death)));
      expect(all.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))).toEqual([]);
    },
  );

  it(
    "of its checkpoints runs an approved call at most once and comes to an end",
    { timeout: 60_000 },
    async () => {
      const all = await Promise.allSettled(points(14).map((death) => recoverFrom("saver", death)));
      expect(all.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))).toEqual([]);
    },
  );
});
