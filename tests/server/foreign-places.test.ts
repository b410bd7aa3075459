import { Annotation, interrupt, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/ledger/sql/index.ts";
import { openCheckpointer } from "../../src/server/database/checkpointer.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { listOf } from "./bench.ts";
import type { Done } from "./foreign.ts";
import { asking, foreign, hitlAgent, payment } from "./foreign.ts";

const greet = (done: Done) => asking(done, { greet: ["name?"] });

/** A graph whose node is another graph, which asks. */
function nested(done: Done) {
  const State = Annotation.Root({ name: Annotation<unknown> });
  const inner = new StateGraph(State)
    .addNode("ask", () => {
      const name = interrupt<string, unknown>("name?");
      done.answers.push(name);
      return { name };
    })
    .addEdge(START, "ask")
    .compile();
  return new StateGraph(State).addNode("inner", inner).addEdge(START, "inner").compile();
}

describe("a question of a graph's own", () => {
  it("may come from a graph inside", async () => {
    const { go, pending, decide, done } = await foreign(nested);
    const [approval] = await pending(await go({ name: "" }));
    expect(approval).toMatchObject({ tool: "inner", path: expect.stringMatching(/^inner:/) as string });
    await decide(approval!.approval_id, { type: "respond", message: "Ann" });
    expect(done.answers).toEqual(["Ann"]);
  });

  it("ends with a thread that was only for its run", async () => {
    const { client, get } = await foreign(greet);
    const values = await client.runs.wait(null, "agent", { input: {} });
    expect(values).toHaveProperty("__interrupt__");
    const { body } = await get("/approvals?status=all");
    expect(listOf(body["approvals"])).toMatchObject([{ kind: "interrupt", status: "cancelled" }]);
  });

  it.each(["busy", "interrupted"])(
    "is opened at the next start when a %s thread holds one that the ledger does not know",
    async (status) => {
      const first = await foreign(greet);
      const { thread_id } = await first.client.threads.create({ graphId: "agent" });
      await first.server.stop();
      // As a process leaves it that ended after the pause, or one of a version that kept no such approvals.
      const database = await openDatabase(first.store);
      const checkpointer = await openCheckpointer(first.store, database);
      const graph = asking(first.done, { greet: ["name?"] });
      graph.checkpointer = checkpointer.saver;
      await graph.invoke({}, { configurable: { thread_id } });
      const change = {
        text: "update server_threads set status = ?, graph_id = 'agent' where thread_id = ?",
        values: [status, thread_id],
      };
      await write(first.store, change);
      await checkpointer.close();
      await database.close();
      const second = await first.again();
      const [approval, ...others] = await second.pending(thread_id);
      expect(others).toEqual([]);
      expect(await second.statusOf(thread_id)).toBe("interrupted");
      await second.decide(approval!.approval_id, { type: "respond", message: "Ann" });
      expect(second.done.answers).toEqual(["Ann"]);
    },
  );

  const url = postgresUrl();
  it.skipIf(url === undefined)("is kept and handed over on PostgreSQL", async () => {
    const steps = [payment("ann", "bob"), { content: "done" }];
    const first = await foreign((done) => hitlAgent(done, steps), { store: url! });
    const thread_id = await first.go();
    const [one] = await first.pending(thread_id);
    await first.decide(one!.approval_id, { type: "approve" });
    const second = await first.again();
    const [other, ...others] = await second.pending(thread_id);
    expect(others).toEqual([]);
    await second.decide(other!.approval_id, { type: "approve" });
    expect(second.done.paid).toHaveLength(2);
    expect((await second.get("/audit/verify")).body["ok"]).toBe(true);
  });
});

async function write(store: string, { text, values }: { text: string; values: string[] }): Promise<void> {
  const { default: Sqlite } = await import("better-sqlite3");
  const database = new Sqlite(store.slice("file:".length));
  database.prepare(text).run(...values);
  database.close();
}
