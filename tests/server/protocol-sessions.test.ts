import { Client } from "@langchain/langgraph-sdk";
import { StateGraph, START, END, MessagesValue, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { Feeds } from "../../src/server/runs/feeds.ts";
import { Run } from "../../src/server/runs/run.ts";
import { Sessions } from "../../src/server/protocol/sessions.ts";
import { agent, bench, Effects, remove, until } from "./bench.ts";
import { follow, TRANSPORTS } from "./follow.ts";

const steps = [remove("a"), { content: "done" }];
const input = { messages: [{ role: "user", content: "go" }] };
const facts = { graph_id: "agent", answered: [] };

function sessionsOf() {
  const feeds = new Feeds();
  const errors: unknown[] = [];
  return { feeds, errors, sessions: new Sessions({ feeds, onError: (error) => errors.push(error) }) };
}

describe("a session", () => {
  it("goes with the last client, and is not told of later runs", () => {
    const { feeds, sessions } = sessionsOf();
    const [one, other] = [sessions.hold("t"), sessions.hold("t")];
    expect([one.isNew, other.isNew]).toEqual([true, false]);
    one.release();
    one.release();
    expect(sessions.size).toBe(1);
    other.release();
    expect(sessions.size).toBe(0);
    const run = new Run("t");
    feeds.tell(run, facts);
    expect(run.teller).toBeNull();
  });

  it("stays while a run is followed, and a little longer for who comes late", async () => {
    const { feeds, sessions } = sessionsOf();
    const { release, session } = sessions.hold("t");
    const run = new Run("t");
    feeds.tell(run, facts);
    release();
    expect(sessions.get("t")).toBe(session);
    run.finish({ status: "success", error: null });
    await until(() => session.log.all().length === 2);
    expect(sessions.get("t")).toBe(session);
    await until(() => sessions.size === 0, 5_000);
    expect(feeds.modesFor("t", [])).toEqual([]);
  });

  it("tells runs one after the other, keeps the last two, and counts on where an earlier session was", async () => {
    const { feeds, sessions } = sessionsOf();
    const { session, release } = sessions.hold("t");
    const runs = [new Run("t"), new Run("t"), new Run("t")];
    // The next one begins before the end of the one before is told.
    for (const run of runs) feeds.tell(run, facts);
    for (const run of runs.toReversed()) run.finish({ status: "success", error: null });
    await until(() => session.log.all().length === 4);
    const told = session.log
      .all()
      .map(({ event_id, lifecycle }) => [event_id.split(":")[1], lifecycle?.event]);
    const [, second, third] = runs.map(({ run_id }) => run_id);
    expect(told).toEqual([
      [second, "running"],
      [second, "completed"],
      [third, "running"],
      [third, "completed"],
    ]);
    const { seq } = session;
    release();
    await until(() => sessions.size === 0, 5_000);
    expect(sessions.hold("t").session.seq).toBeGreaterThan(seq);
  });

  it("says nothing of the end of a run that goes on at the server's next start", async () => {
    const { feeds, sessions } = sessionsOf();
    const { session } = sessions.hold("t");
    const run = new Run("t");
    feeds.tell(run, facts);
    run.finish({ status: "drained", error: null });
    await session.say(() => ({ happenings: [], run_id: null }));
    expect(session.log.all().map(({ lifecycle }) => lifecycle?.event)).toEqual(["running"]);
  });
});

describe.each(TRANSPORTS)("a client over %s", (transport) => {
  it("finds its thread again after the server was away, with what is open", async () => {
    const first = await bench(steps);
    const port = Number(new URL(first.url).port);
    const client = new Client({ apiUrl: first.url, callerOptions: { maxRetries: 0 } });
    const { stream, heard, lifecycle } = follow(client, "t", transport);
    await stream.run.start({ input });
    await until(() => lifecycle().includes("interrupted"));
    const [asked] = stream.interrupts;
    const known = heard.length;
    const last = Math.max(...heard.map(({ seq }) => seq));
    const { effects } = await first.restart({ port });
    await until(() => heard.filter(({ method }) => method === "input.requested").length === 2, 15_000);
    await stream.input.respond({
      namespace: [],
      interrupt_id: asked!.interruptId,
      response: { type: "approve" },
    });
    await until(() => lifecycle().includes("completed"));
    expect(effects.deleted).toEqual(["a"]);
    expect(heard.slice(known).every(({ seq }) => seq > last)).toBe(true);
  });

  it("answers a question of an agent inside another graph, and sees which graph runs in which", async () => {
    const effects = new Effects();
    const state = new StateSchema({ messages: MessagesValue });
    const inner = new StateGraph(state)
      .addNode("worker", agent(effects, steps) as never)
      .addEdge(START, "worker")
      .addEdge("worker", END)
      .compile();
    const outer = new StateGraph(state)
      .addNode("team", inner as never)
      .addEdge(START, "team")
      .addEdge("team", END)
      .compile();
    const { url } = await bench(steps, { config: { graphs: { agent: outer } }, effects });
    const client = new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });
    const { stream, heard, lifecycle } = follow(client, "t", transport);
    await stream.run.start({ input });
    await until(() => lifecycle().includes("interrupted"));
    expect(stream.interrupts).toHaveLength(1);
    const [asked] = stream.interrupts;
    const nodes = (namespace: readonly string[]) => namespace.map((segment) => segment.split(":")[0]);
    expect(nodes(asked!.namespace).slice(0, 2)).toEqual(["team", "worker"]);
    const { interruptId: interrupt_id, namespace } = asked!;
    await stream.input.respond({ namespace, interrupt_id, response: { type: "approve" } });
    await until(() => lifecycle().includes("completed"));
    expect(effects.deleted).toEqual(["a"]);
    const begun = heard
      .filter(({ data }) => data["event"] === "started")
      .map((one) => nodes(one.namespace).join("/"));
    expect(begun).toEqual(
      expect.arrayContaining(["team", "team/worker", "team/worker/agent", "team/worker/tools"]),
    );
    const { tree } = (await stream.agent.getTree()) as { tree: { children: { graph_name: string }[] } };
    expect(tree).toMatchObject({ status: "completed", children: [{ graph_name: "team" }] });
  });
});
