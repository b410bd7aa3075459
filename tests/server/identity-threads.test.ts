import { describe, expect, it } from "vitest";
import { ACCESS } from "../../src/server/identity/access.ts";
import { bench, listOf, remove, runOf, textOf, until } from "./bench.ts";
import { Socket } from "./follow.ts";
import { people, personOf } from "./identity-bench.ts";
import { createToken } from "../../src/wire.ts";

/** Two who ask for things, one thread of each with a question open. */
async function two() {
  const server = await people([remove("a"), { content: "done" }], {
    ...{ ana: ["requester"], bob: ["requester"], rita: ["reviewer"], all: ["admin"] },
  });
  const begin = async (name: "ana" | "bob") => {
    const thread_id = textOf((await server[name].post("/threads")).body["thread_id"]);
    await server[name].post(`/threads/${thread_id}/runs/wait`, runOf("go"));
    const run_id = textOf((await server[name].get(`/threads/${thread_id}/runs`)).body[0]!["run_id"]);
    const [approval] = listOf((await server[name].get("/approvals")).body["approvals"]);
    return { thread_id, run_id, approval_id: textOf(approval!["approval_id"]) };
  };
  return { ...server, of: { ana: await begin("ana"), bob: await begin("bob") } };
}

const BODIES: Record<string, unknown> = {
  "PATCH /threads/:thread_id": { metadata: { owner: "bob" } },
  "PATCH /threads/:thread_id/state": { metadata: { owner: "bob" } },
  "POST /threads/:thread_id/stream/events": { channels: ["values"] },
  "POST /threads/:thread_id/commands": { id: 1, method: "state.get" },
};

describe("the threads of others", () => {
  it("are not there for a requester, whichever route names them", async () => {
    const { ana, bob, of, all } = await two();
    const before = (await all.get(`/audit?thread_id=${of.ana.thread_id}`)).body["events"];
    const own = Object.entries(ACCESS).filter(
      ([route, { own: roles }]) => /:(thread|run|approval)_id/.test(route) && roles.length > 0,
    );
    expect(own.length).toBeGreaterThan(25);
    for (const [route] of own) {
      const [method = "", pattern = ""] = route.split(" ");
      const body = method === "GET" || method === "DELETE" ? undefined : (BODIES[route] ?? runOf("go"));
      const fill = (ids: typeof of.ana) =>
        pattern
          .replace(":thread_id", ids.thread_id)
          .replace(":run_id", ids.run_id)
          .replace(":approval_id", ids.approval_id)
          .replace(":checkpoint_id", "none");
      const { status, body: refused } = await bob.send(method, fill(of.ana), body);
      expect([route, status, refused["code"]]).toEqual([
        route,
        404,
        pattern.startsWith("/approvals")
          ? "unknown_approval"
          : pattern.startsWith("/runs")
            ? "run_not_found"
            : "thread_not_found",
      ]);
      // What is said is what is said of a thing that is not there.
      const nothing = { thread_id: "none", run_id: "none", approval_id: "none" };
      if (method !== "GET" || pattern.includes("stream/events") || pattern.includes("/wait")) continue;
      const missing = await bob.send(method, fill(nothing), body);
      const words = JSON.stringify(refused).replaceAll(/[0-9a-f-]{36}|apr_[0-9a-f]+/g, "none");
      expect(words).toBe(JSON.stringify(missing.body));
    }
    expect((await all.get(`/audit?thread_id=${of.ana.thread_id}`)).body["events"]).toEqual(before);
    expect((await ana.get(`/threads/${of.ana.thread_id}`)).body["metadata"]).not.toHaveProperty("owner");
  });

  it("are not in the lists of a requester, and in those of a reviewer", async () => {
    const { ana, bob, rita, of } = await two();
    const lists = [
      ["POST", "/threads/search", {}, null],
      ["GET", "/approvals?status=all", undefined, "approvals"],
      ["GET", "/audit", undefined, "events"],
    ] as const;
    for (const [method, path, body, member] of lists) {
      const seenBy = async (person: typeof ana) => {
        const answer = await person.send(method, path, body);
        const list = listOf(member === null ? answer.body : answer.body[member]);
        return new Set(list.map((one) => one["thread_id"]));
      };
      expect([path, await seenBy(ana)]).toEqual([path, new Set([of.ana.thread_id])]);
      expect([path, await seenBy(bob)]).toEqual([path, new Set([of.bob.thread_id])]);
      expect([path, (await seenBy(rita)).size]).toEqual([path, 2]);
    }
    const counts = await Promise.all([ana, rita].map((one) => one.post("/threads/count")));
    expect(counts.map(({ body }) => body)).toEqual([1, 2]);
    const named = `thread_id=${of.ana.thread_id}`;
    expect((await bob.get(`/approvals?${named}`)).body["approvals"]).toEqual([]);
    expect((await bob.get(`/audit?${named}`)).body["events"]).toEqual([]);
    expect((await bob.post("/threads/search", { ids: [of.ana.thread_id] })).body).toEqual([]);
  });

  it("are not named in bodies either", async () => {
    const { bob, all, of } = await two();
    const { thread_id, run_id } = of.ana;
    const call = { tool: "delete_file", args: { path: "a" }, thread_id };
    expect((await bob.post("/policies/check", call)).body).toMatchObject({ code: "thread_not_found" });
    const cancel = { thread_id, run_ids: [run_id] };
    expect((await bob.post("/runs/cancel", cancel)).body).toMatchObject({ code: "thread_not_found" });
    expect((await bob.post("/runs/cancel", { status: "all" })).status).toBe(204);
    const taken = await bob.post("/threads", { thread_id, if_exists: "do_nothing" });
    expect(taken.body).toMatchObject({ code: "thread_exists" });
    const forced = await bob.post(`/threads/${thread_id}/runs`, runOf("go", { if_not_exists: "create" }));
    expect(forced.status).toBe(404);
    expect((await all.get(`/approvals?thread_id=${thread_id}`)).body["approvals"]).toHaveLength(1);
  });

  it("cannot be had by saying so", async () => {
    const { ana, bob } = await two();
    const claims = { owner: "ana", requested_by: "ana", metadata: { owner: "ana", requested_by: "ana" } };
    const { body } = await bob.post("/threads", { thread_id: "mine", ...claims });
    expect(body["thread_id"]).toBe("mine");
    expect((await ana.get("/threads/mine")).status).toBe(404);
    await bob.post("/threads/mine/runs/wait", { ...runOf("go"), ...claims });
    const [approval] = listOf((await bob.get("/approvals?thread_id=mine")).body["approvals"]);
    expect(approval!["requested_by"]).toBe("bob");
    const copy = await bob.post("/threads/mine/copy", claims);
    expect((await ana.get(`/threads/${textOf(copy.body["thread_id"])}`)).status).toBe(404);
  });
});

describe("live events", () => {
  it("are of a requester's own threads", async () => {
    const { ana, bob, url, of } = await two();
    const left = new AbortController();
    const answer = await fetch(`${url}/events`, {
      headers: { ...bob.headers, "last-event-id": "0" },
      signal: left.signal,
    });
    let text = "";
    const read = async (): Promise<void> => {
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>)
        text += Buffer.from(chunk).toString();
    };
    const reading = read().catch(() => undefined);
    await ana.send("DELETE", `/approvals/${of.ana.approval_id}`);
    await bob.send("DELETE", `/approvals/${of.bob.approval_id}`);
    await until(() => text.includes('"status":"cancelled"'));
    expect(text).toContain(of.bob.thread_id);
    expect(text).not.toContain(of.ana.thread_id);
    left.abort();
    await reading;
  });

  it("of a thread that is not there yet are not heard by whoever waited for another's", async () => {
    const { ana, bob, url } = await two();
    const sse = await fetch(`${url}/threads/next/stream/events`, {
      method: "POST",
      headers: { ...bob.headers, "content-type": "application/json" },
      body: JSON.stringify({ channels: ["values", "lifecycle", "input"] }),
    });
    const socket = new Socket(`${url.replace("http", "ws")}/threads/next/stream/events`, {
      headers: bob.headers,
    });
    const heard: string[] = [];
    const closed = new Promise<number>((resolve) => (socket.onclose = ({ code }) => resolve(code)));
    socket.onmessage = ({ data }) => void heard.push(String(data));
    await new Promise((resolve) => (socket.onopen = resolve));
    const params = { channels: ["values", "lifecycle", "input"] };
    socket.send(JSON.stringify({ id: 1, method: "subscription.subscribe", params }));
    await until(() => heard.length === 1);
    await ana.post("/threads", { thread_id: "next" });
    await ana.post("/threads/next/runs/wait", runOf("go"));
    expect(await closed).toBe(1008);
    expect(heard).toHaveLength(1);
    expect(await sse.text()).toBe(": events\n\n");
  });
});

describe("threads of a time when nobody said who they are", () => {
  it("are an admin's, seen by reviewers and by no requester", async () => {
    const server = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await server.begin();
    const make = async (role: "requester" | "reviewer" | "admin") =>
      personOf(
        server.url,
        await createToken(server.store, { principal: role, roles: [role], expires_at: null }),
      );
    const [requester, reviewer, admin] = [
      await make("requester"),
      await make("reviewer"),
      await make("admin"),
    ];
    await until(async () => (await server.get("/approvals")).status === 401);
    expect((await requester.get(`/threads/${thread_id}`)).status).toBe(404);
    expect((await requester.get("/approvals")).body["approvals"]).toEqual([]);
    expect((await reviewer.get("/approvals")).body["approvals"]).toHaveLength(1);
    expect((await reviewer.send("DELETE", `/threads/${thread_id}`)).status).toBe(403);
    expect((await admin.send("DELETE", `/threads/${thread_id}`)).status).toBe(204);
  });
});
