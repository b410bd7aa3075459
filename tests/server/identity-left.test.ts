import { tool } from "@langchain/core/tools";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent, openLedger, withRisk } from "../../src/index.ts";
import { scriptedModel, type Step } from "../../src/models/index.ts";
import type { Role } from "../../src/server/identity/principal.ts";
import { listOf, remove, runOf, textOf } from "./bench.ts";
import { people, type Person } from "./identity-bench.ts";

const steps = [remove("a"), { content: "done" }];
const input = { messages: [{ role: "user", content: "go" }] };

/** A server with tokens, and a script that runs a graph of its own in the server's store. */
async function shared() {
  const roles: Record<"ana" | "bob" | "both" | "all", Role[]> = {
    ...{ ana: ["requester"], bob: ["requester"], both: ["requester", "reviewer"], all: ["admin"] },
  };
  const server = await people(steps, roles);
  const runScript = async (thread_id: string, script: readonly Step[] = steps) => {
    const ledger = await openLedger(server.store);
    const checkpointer = SqliteSaver.fromConnString(server.store.slice("file:".length));
    const schema = z.object({ path: z.string() });
    const deleteFile = tool(() => "deleted", { name: "delete_file", description: "Deletes.", schema });
    const model = scriptedModel(script, { strict: true });
    const tools = [withRisk(deleteFile, "approve")];
    await createApprovalAgent({ model, tools, ledger, checkpointer }).invoke(input, {
      configurable: { thread_id },
    });
    await ledger.close();
  };
  return { ...server, runScript };
}

/** Each way to make a thread of an id that the client picks, and what is said where the thread is somebody else's. */
const ways: [string, (by: Person, thread_id: string) => ReturnType<Person["send"]>, number, string][] = [
  ["create", (by, thread_id) => by.post("/threads", { thread_id }), 409, "thread_exists"],
  [
    "create if there is none",
    (by, thread_id) => by.post("/threads", { thread_id, if_exists: "do_nothing" }),
    ...([409, "thread_exists"] as const),
  ],
  [
    "create with states",
    (by, thread_id) => {
      const updates = [{ values: input, as_node: "__start__" }];
      return by.post("/threads", { thread_id, metadata: { graph_id: "agent" }, supersteps: [{ updates }] });
    },
    ...([409, "thread_exists"] as const),
  ],
  ...["", "/wait", "/stream"].map((end): (typeof ways)[number] => [
    `begin a run${end}`,
    (by, id) => by.post(`/threads/${id}/runs${end}`, runOf("go", { if_not_exists: "create" })),
    ...([404, "thread_not_found"] as const),
  ]),
];

describe("an id under which the store has something and no thread is", () => {
  it.each(ways)("becomes nobody's thread but an admin's: %s", async (_, make, status, code) => {
    const { ana, bob, both, all, runScript } = await shared();
    await ana.post("/threads", { thread_id: "of-ana" });
    await runScript("of-script");
    for (const by of [bob, both]) {
      expect(await make(by, "of-script")).toMatchObject({ status, body: { code } });
      expect((await by.get("/threads/of-script")).status).toBe(404);
    }
    // What is said is what is said of a thread of somebody else.
    const said = async (thread_id: string) => {
      const answer = await make(bob, thread_id);
      return [answer.status, JSON.stringify(answer.body).replaceAll(thread_id, "it")];
    };
    expect(await said("of-script")).toEqual(await said("of-ana"));
    expect(listOf((await bob.get("/approvals")).body["approvals"])).toEqual([]);
    expect(listOf((await bob.get("/audit?thread_id=of-script")).body["events"])).toEqual([]);
    expect((await bob.send("DELETE", "/threads/of-script")).status).toBe(404);
    expect(listOf((await all.get("/approvals")).body["approvals"])).toHaveLength(1);
    expect((await make(all, "of-script")).body["code"]).not.toBe(code);
    expect((await all.get("/threads/of-script")).status).toBe(200);
  });

  it("becomes nobody's through the streaming protocol either", async () => {
    const { bob, runScript } = await shared();
    await runScript("of-script");
    const command = { id: 1, method: "run.start", params: { assistant_id: "agent", input } };
    const { body } = await bob.post("/threads/of-script/commands", command);
    expect(body).toMatchObject({ type: "error", error: "no_such_run" });
    expect((await bob.get("/threads/of-script")).status).toBe(404);
  });

  it("may be of a script that called no tool", async () => {
    const { bob, runScript } = await shared();
    await runScript("quiet", [{ content: "The launch code is 0000." }]);
    const { body } = await bob.post("/threads/quiet/runs/wait", runOf("go", { if_not_exists: "create" }));
    expect(body["code"]).toBe("thread_not_found");
    expect((await bob.post("/threads", { thread_id: "quiet" })).body["code"]).toBe("thread_exists");
  });

  it("may be of a run without a thread", async () => {
    const { ana, bob, all } = await shared();
    await ana.post("/runs/wait", runOf("go"));
    const [event] = listOf((await all.get("/audit")).body["events"]);
    const thread_id = textOf(event!["thread_id"]);
    expect((await all.get(`/threads/${thread_id}`)).status).toBe(404);
    expect((await bob.post("/threads", { thread_id })).body["code"]).toBe("thread_exists");
    expect(listOf((await bob.get("/audit")).body["events"])).toEqual([]);
  });
});

describe("the id of a thread that was deleted", () => {
  it("is free again for whose it was, and for nobody else but an admin", async () => {
    const { ana, bob, all } = await shared();
    const begin = (by: Person) =>
      by.post("/threads/mine/runs/wait", runOf("go", { if_not_exists: "create" }));
    await begin(ana);
    expect((await all.send("DELETE", "/threads/mine")).status).toBe(204);
    expect(await begin(bob)).toMatchObject({ status: 404, body: { code: "thread_not_found" } });
    expect((await begin(ana)).status).toBe(200);
    expect(listOf((await ana.get("/approvals")).body["approvals"])).toHaveLength(1);
    expect((await ana.send("DELETE", "/threads/mine")).status).toBe(204);
    expect((await all.post("/threads", { thread_id: "mine" })).status).toBe(200);
  });

  it("is free for all when nothing ever ran on it", async () => {
    const { ana, bob } = await shared();
    await ana.post("/threads", { thread_id: "unused" });
    await ana.send("DELETE", "/threads/unused");
    expect((await bob.post("/threads", { thread_id: "unused" })).status).toBe(200);
  });
});
