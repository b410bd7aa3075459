import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { openLedger, type Approval } from "../../src/ledger/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import { createApprovalRoutes } from "../../src/mount.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { remove, until } from "./bench.ts";

const config = { configurable: { thread_id: "t1" } };

/** Our routes in an app of somebody else, and a graph that nobody serves. */
async function mounted(options: { policy?: PolicyInput; allowOrigins?: string[] } = {}) {
  const ledger = await openLedger("memory:");
  onTestFinished(() => ledger.close());
  const { policy, ...rest } = options;
  const routes = await createApprovalRoutes({ ledger, ...rest });
  const app = new Hono().route("/", routes);
  app.post("/echo", async (c) => c.text(await c.req.text()));
  const deleted: string[] = [];
  const deleteFile = tool(
    ({ path }: { path: string }) => {
      deleted.push(path);
      return "deleted";
    },
    { name: "delete_file", description: "Deletes a file.", schema: z.object({ path: z.string() }) },
  );
  const graph = createApprovalAgent({
    model: scriptedModel([remove("a"), { content: "done" }]),
    tools: [withRisk(deleteFile, "approve")],
    ...{ ledger, checkpointer: new MemorySaver() },
    ...(policy && { policy }),
  });
  const ask = async (): Promise<Approval> => {
    await graph.invoke({ messages: [{ role: "user", content: "go" }] }, config);
    const [approval] = (await ledger.approvals({})).approvals;
    return approval!;
  };
  const statusOf = async (approval_id: string) => (await ledger.approval(approval_id))?.status;
  const get = async (path: string, headers: Record<string, string> = {}) =>
    app.request(`http://localhost${path}`, { headers });
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.request(`http://localhost${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return { routes, graph, deleted, ask, statusOf, get, post };
}

describe("routes about approvals, mounted in another server", () => {
  it("list, show and decide; the graph takes the decision when it is resumed", async () => {
    const { graph, deleted, ask, get, post } = await mounted();
    const { approval_id, interrupt_id } = await ask();
    const decided = await post(`/approvals/${approval_id}/decision?wait=1`, { type: "approve" });
    expect(decided.status).toBe(200);
    expect(await decided.json()).toMatchObject({
      ...{ approval: { status: "approved" }, run_id: null, resumed: false },
    });
    expect(deleted).toEqual([]);
    // What the resume says counts for nothing any more.
    await graph.invoke(new Command({ resume: { [interrupt_id!]: { type: "reject" } } }), config);
    expect(deleted).toEqual(["a"]);
    const again = await post(`/approvals/${approval_id}/decision`, { type: "reject" });
    expect([again.status, await again.json()]).toMatchObject([409, { code: "already_decided" }]);
    expect(await (await get("/audit/verify")).json()).toMatchObject({ ok: true });
    expect((await get("/approvals/none")).status).toBe(404);
  });

  it("keep deadlines", async () => {
    const { deleted, ask, statusOf } = await mounted({ policy: { version: 1, review: { timeout: "1s" } } });
    const { approval_id } = await ask();
    await until(async () => (await statusOf(approval_id)) === "expired");
    expect(deleted).toEqual([]);
  });

  it("let no foreign page or name use them, and leave all other routes alone", async () => {
    const origin = "https://app.example";
    const { ask, get, post, deleted } = await mounted({ allowOrigins: [origin] });
    const { approval_id } = await ask();
    const decision = `/approvals/${approval_id}/decision`;
    const approve = { type: "approve" };
    for (const headers of [
      { origin: "https://evil.example" },
      { host: "evil.example" },
      { "sec-fetch-site": "cross-site" },
      { "content-type": "text/plain" },
    ]) {
      for (const path of [decision, "/approvals/decisions", "/threads/t1/approvals/c_a_0", "/policies/check"])
        expect((await post(path, approve, headers)).status, path).toBeOneOf([403, 415]);
    }
    for (const path of ["/approvals", "/grants", "/fatigue", "/audit", "/events", "/policies"])
      expect((await get(path, { origin: "https://evil.example" })).status).toBe(403);
    const read = await get("/approvals", { origin });
    expect(read.headers.get("access-control-allow-origin")).toBe(origin);
    const echo = await post("/echo", "x", { origin: "https://evil.example", "content-type": "text/plain" });
    expect(await echo.text()).toBe('"x"');
    expect(deleted).toEqual([]);
  });

  it("judge with a policy that is named or given, and say that the graphs are not here", async () => {
    const { get, post } = await mounted();
    const call = { tool: "delete_file", args: { path: "a" } };
    const { policies } = (await (await get("/policies")).json()) as { policies: { name: string }[] };
    expect(policies.map(({ name }) => name)).toContain("careful");
    const judged = await post("/policies/check", { ...call, policy: { version: 1, default: "deny" } });
    expect(await judged.json()).toMatchObject({ verdict: { tier: "deny" } });
    for (const where of [{ graph_id: "agent" }, { thread_id: "t1" }]) {
      const refused = await post("/policies/check", { ...call, ...where });
      expect([refused.status, await refused.json()]).toMatchObject([422, { code: "not_supported" }]);
    }
  });

  it("ask the server that runs the graphs for nothing before it is open, and then for what was due", async () => {
    const loopback = Symbol.for("langgraph_api:fetch");
    const outer = new Hono();
    Object.assign(globalThis, {
      [loopback]: (path: string, init?: RequestInit) => outer.request(path, init),
    });
    onTestFinished(() => void Reflect.deleteProperty(globalThis, loopback));
    const { routes, ask, statusOf } = await mounted({ policy: { version: 1, review: { timeout: "1s" } } });
    const { approval_id, interrupt_id } = await ask();
    await until(async () => (await statusOf(approval_id)) === "expired");
    // A route cannot be added any more to an app that was asked for something.
    outer.route("/", routes);
    const begun: unknown[] = [];
    outer.get("/threads/t1", (c) => c.json({ status: "interrupted", metadata: { assistant_id: "a1" } }));
    outer.post("/threads/t1/runs", async (c) => {
      begun.push(await c.req.json());
      return c.json({ run_id: "r1" });
    });
    outer.get("/broken", () => {
      throw new Error("broken");
    });
    outer.onError((error, c) => c.text(`outer: ${error.message}`, 500));
    expect(await (await outer.request("/broken")).text()).toBe("outer: broken");
    await until(() => begun.length > 0);
    expect(begun).toMatchObject([{ assistant_id: "a1", command: { resume: { [interrupt_id!]: {} } } }]);
  });

  it("are refused at once with a bad origin", async () => {
    const ledger = await openLedger("memory:");
    onTestFinished(() => ledger.close());
    const made = createApprovalRoutes({ ledger, allowOrigins: ["*"] });
    await expect(made).rejects.toMatchObject({ code: "bad_origin" });
  });
});
