import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/server/description/openapi-document.ts";
import { bench, listOf, remove, runOf, textOf } from "./bench.ts";

describe("the description of the API", () => {
  it("is committed as it is generated", async () => {
    const committed = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
    // Generate it anew with `npx tsx src/server/openapi-document.ts`.
    expect(committed).toBe(await openApiDocument());
  });

  it("is what the server itself gives, and the page lists every route of it", async () => {
    const { get } = await bench([]);
    const { body, headers } = await get("/openapi.json");
    expect(headers.get("content-type")).toContain("application/json");
    expect(body).toEqual(JSON.parse(await openApiDocument()));
    const { body: page } = await get("/docs");
    for (const path of Object.keys(body["paths"] as object)) expect(textOf(page)).toContain(path);
    expect(textOf(page)).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it("says what the server is", async () => {
    const { get } = await bench([]);
    expect((await get("/ok")).body).toEqual({ ok: true });
    expect((await get("/info")).body).toEqual({
      version: "1.5.1",
      countersign_version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      langgraph_js_version: "1.7.3",
      context: "js",
      flags: { assistants: true, crons: false, langsmith: false },
      graphs: ["agent"],
    });
  });
});

describe("policies over HTTP", () => {
  it("are listed by name, with their schema", async () => {
    const { get } = await bench([]);
    const names = listOf((await get("/policies")).body["policies"]).map((one) => one["name"]);
    expect(names).toEqual(["careful", "everyday", "headless"]);
    expect((await get("/policies/schema")).body).toMatchObject({ title: "Countersign policy" });
  });

  it("say what would happen to a call, and run nothing", async () => {
    const { post, get, effects } = await bench([]);
    const policy = {
      version: 1,
      rules: [{ id: "keys", tools: ["*"], when: { path: { glob: "*.env" } }, tier: "deny" }],
    };
    const asked = { tool: "delete_file", args: { path: "x.env" }, policy };
    expect((await post("/policies/check", asked)).body).toEqual({
      verdict: { tier: "deny", rules: ["keys"], why: expect.any(String) as string },
    });
    expect((await post("/policies/check", { ...asked, policy: "careful" })).status).toBe(200);
    expect((await post("/policies/check", { ...asked, graph_id: "agent" })).body).toMatchObject({
      verdict: { tier: "deny" },
    });
    expect(effects.deleted).toEqual([]);
    expect((await get("/audit")).body["events"]).toEqual([]);
  });

  it("judge as a graph's own gate does, and as on a thread", async () => {
    const { post } = await bench([remove("a")]);
    const asked = { tool: "read_file", args: { path: "x" }, graph_id: "agent" };
    expect((await post("/policies/check", asked)).body).toMatchObject({ verdict: { tier: "auto" } });
    await post("/threads", { thread_id: "t" });
    const rules = [{ id: "no-reads", tools: ["read_file"], tier: "deny" }];
    await post("/threads/t/runs/wait", runOf("go", { context: { policy: { rules } } }));
    const onThread = { tool: "read_file", args: { path: "x" }, thread_id: "t" };
    expect((await post("/policies/check", onThread)).body).toMatchObject({
      verdict: { tier: "deny", rules: ["no-reads"] },
    });
  });

  it("refuse what cannot be judged", async () => {
    const { post } = await bench([]);
    const call = { tool: "delete_file", args: { path: "x" } };
    const codes = async (body: unknown) => (await post("/policies/check", body)).body["code"];
    expect(await codes(call)).toBe("invalid_request");
    expect(await codes({ ...call, policy: "none" })).toBe("invalid_request");
    expect(await codes({ ...call, policy: { version: 1, mod: "never" } })).toBe("invalid_policy");
    expect(await codes({ ...call, graph_id: "none" })).toBe("graph_not_found");
    expect(await codes({ ...call, thread_id: "none" })).toBe("thread_not_found");
    expect(await codes({ tool: "unknown", args: {}, graph_id: "agent" })).toBe("invalid_request");
  });
});
