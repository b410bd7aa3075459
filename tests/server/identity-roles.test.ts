import { describe, expect, it } from "vitest";
import { ACCESS, OPEN } from "../../src/server/identity/access.ts";
import type { Role } from "../../src/server/identity/principal.ts";
import { remove, resumeOf, runOf, textOf, type Bench } from "./bench.ts";
import { people, type People, type Person } from "./identity-bench.ts";

/** Each route of a server, as the table names it. */
function routesOf({ server }: Pick<Bench, "server">): string[] {
  const named = server.app.routes.filter(({ method }) => method !== "ALL");
  return [...new Set(named.map(({ method, path }) => `${method} ${path}`))].sort();
}

/** A request to a route, about things that are not there, with nothing in its body that anything could be done with. */
function ask(person: Person, route: string): Promise<{ status: number; code: unknown }> {
  const [method = "", pattern = ""] = route.split(" ");
  const path = pattern.replace(/:[a-z_]+/g, "none");
  return person
    .send(method, path, ["POST", "PUT", "PATCH"].includes(method) ? { if_exists: 5 } : undefined)
    .then(({ status, body }) => ({ status, code: typeof body === "object" ? body["code"] : null }));
}

describe("the table of roles", () => {
  const roles: Role[] = ["viewer", "requester", "reviewer", "admin"];
  it("has a line for each route, and is kept at each", async () => {
    const server = await people([], {
      ...{ viewer: ["viewer"], requester: ["requester"], reviewer: ["reviewer"], admin: ["admin"] },
    });
    const routes = routesOf(server);
    expect(routes.filter((route) => !OPEN.has(route) && !Object.hasOwn(ACCESS, route))).toEqual([]);
    for (const route of routes.filter((one) => !OPEN.has(one) && !STREAMS.has(one))) {
      const { any, own } = ACCESS[route]!;
      for (const role of roles) {
        const { status, code } = await ask(server[role], route);
        const isAllowed = role === "admin" || [...any, ...own].includes(role);
        expect([route, role, code === "forbidden", status !== 401]).toEqual([route, role, !isAllowed, true]);
      }
    }
  });
});

/** These stay open. */
const STREAMS = new Set(["GET /events", "POST /threads/:thread_id/stream/events"]);

describe("roles", () => {
  let server: People<"viewer" | "requester" | "reviewer" | "both" | "admin">;
  let thread_id = "";
  let approval_id = "";

  const open = async () => {
    server = await people([remove("a"), { content: "done" }], {
      ...{ viewer: ["viewer"], requester: ["requester"], reviewer: ["reviewer"], admin: ["admin"] },
      both: ["requester", "reviewer"],
    });
    const created = await server.requester.post("/threads");
    thread_id = textOf(created.body["thread_id"]);
    await server.requester.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
    approval_id = textOf((await server.requester.get("/approvals")).body["approvals"]![0]!["approval_id"]);
  };

  it("let a viewer see everything and change nothing", async () => {
    await open();
    for (const path of ["", "/state", "/history", "/runs"])
      expect((await server.viewer.get(`/threads/${thread_id}${path}`)).status).toBe(200);
    expect((await server.viewer.get("/approvals")).body["approvals"]).toHaveLength(1);
    for (const path of ["/threads", `/threads/${thread_id}/runs`, `/approvals/${approval_id}/decision`])
      expect((await server.viewer.post(path, runOf("go"))).body).toMatchObject({ code: "forbidden" });
    expect((await server.viewer.send("DELETE", `/threads/${thread_id}`)).status).toBe(403);
    expect((await server.viewer.send("DELETE", `/approvals/${approval_id}`)).status).toBe(403);
  });

  it("let a reviewer decide what others ask, and begin nothing", async () => {
    await open();
    const { reviewer } = server;
    const own = await reviewer.post("/threads");
    expect(own.body).toMatchObject({ status: 403, code: "forbidden", needs: ["requester", "admin"] });
    expect((await reviewer.post(`/threads/${thread_id}/runs/wait`, runOf("go"))).status).toBe(403);
    expect((await reviewer.send("DELETE", `/threads/${thread_id}`)).status).toBe(403);
    expect((await reviewer.post(`/approvals/${approval_id}/shown`)).status).toBe(200);
    const decided = await reviewer.post(`/threads/${thread_id}/runs/wait`, resumeOf({ type: "approve" }));
    expect(decided.status).toBe(200);
    expect(server.effects.deleted).toEqual(["a"]);
  });

  it("let who is both begin on their own threads and decide on all, and change none of others", async () => {
    await open();
    const { both } = server;
    expect((await both.post(`/threads/${thread_id}/runs`, runOf("go"))).body).toMatchObject({
      code: "forbidden",
    });
    expect((await both.send("PATCH", `/threads/${thread_id}`, { metadata: { a: 1 } })).status).toBe(403);
    expect((await both.post(`/approvals/${approval_id}/decision`, { type: "reject" })).status).toBe(200);
    const own = textOf((await both.post("/threads")).body["thread_id"]);
    await both.post(`/threads/${own}/runs/wait`, runOf("go"));
    const answer = await both.post(`/threads/${own}/runs/wait`, resumeOf({ type: "approve" }));
    expect(answer.status).toBe(200);
    expect(server.effects.deleted).toEqual(["a"]);
  });

  it("hide the threads of others from a requester, and let an admin alone prune", async () => {
    await open();
    const { admin, requester, reviewer } = server;
    await admin.post("/threads", { thread_id: "old" });
    expect((await requester.get("/threads/old")).status).toBe(404);
    expect((await reviewer.get("/threads/old")).status).toBe(200);
    expect((await reviewer.post("/threads/prune", { thread_ids: ["old"] })).status).toBe(403);
    expect((await admin.post("/threads/prune", { thread_ids: ["old"] })).body).toEqual({ pruned_count: 1 });
  });
});
