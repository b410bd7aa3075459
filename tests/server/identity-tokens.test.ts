import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { createServer, createToken, listTokens, revokeToken } from "../../src/wire.ts";
import { agent, bench, Effects, folder, runOf, until } from "./bench.ts";
import { people, personOf } from "./identity-bench.ts";
import { raw } from "./raw-request.ts";
import { refusal } from "./sdk-client.ts";

const OPEN = ["/ok", "/info", "/openapi.json", "/docs"];
const ana = { principal: "ana", roles: ["admin" as const], expires_at: null };

describe("a server whose store has tokens", () => {
  it("answers nobody who does not say who they are, but on four routes", async () => {
    const server = await people([], { ana: ["admin"] });
    for (const path of OPEN) expect((await server.get(path)).status).toBe(200);
    for (const path of ["/approvals", "/threads/x", "/nothing", "/events", "/runs/x/stream"]) {
      const { status, headers, body } = await server.get(path);
      expect(body).toMatchObject({ status: 401, code: "unauthorized" });
      expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });

  it("takes a token in either header, and none in the address", async () => {
    const server = await people([], { ana: ["admin"] });
    const { token } = server.ana;
    expect((await server.ana.get("/approvals")).status).toBe(200);
    expect((await server.get("/approvals", { "x-api-key": token })).status).toBe(200);
    for (const name of ["token", "api_key", "access_token", "x-api-key"])
      expect((await server.get(`/approvals?${name}=${token}`)).status).toBe(401);
  });

  it("is used by the official client with an API key", async () => {
    const { url, ana } = await people([{ content: "hello" }], { ana: ["requester"] });
    const callerOptions = { maxRetries: 0 };
    const client = new Client({ apiUrl: url, apiKey: ana.token, callerOptions });
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input: { messages: [{ role: "user", content: "hi" }] } });
    const nobody = new Client({ apiUrl: url, apiKey: null, callerOptions });
    expect(await refusal(nobody.threads.get(thread_id))).toEqual({ status: 401, code: "unauthorized" });
  });

  it("refuses what is no good token, and two at once", async () => {
    const server = await people([], { ana: ["admin"], bob: ["admin"] });
    const { token } = server.ana;
    const [, id = ""] = token.split("_");
    const bad = [
      ...["", "cs_", `cs_${id}_`, `${token}x`, token.slice(0, -1), `cs_${id}_${"A".repeat(43)}`],
      ...[`cs_0000000000000000_${token.slice(-43)}`, `${token}, ${server.bob.token}`, "ey.ey.ey"],
    ];
    for (const text of bad.slice(0, 4))
      expect((await server.get("/approvals", { authorization: `Bearer ${text}` })).status).toBe(401);
    for (const text of bad.slice(4))
      expect((await server.get("/approvals", { "x-api-key": text })).status).toBe(401);
    const twice = ["Bearer " + token, "Bearer " + token] as unknown as string;
    expect((await raw(server, "GET", "/approvals", { authorization: twice })).status).toBe(401);
    expect((await raw(server, "GET", "/approvals", { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  it("keeps no token and no secret in its files", async () => {
    const { store, ana } = await people([], { ana: ["admin"] });
    await ana.get("/approvals");
    const path = dirname(store.slice("file:".length));
    const bytes = readdirSync(path).map((name) => readFileSync(join(path, name), "latin1"));
    expect(bytes.join()).toContain(ana.token_id);
    expect(bytes.join()).not.toContain(ana.token.split("_").slice(2).join("_"));
  });
});

describe("a token", () => {
  it("is no good from its end on", async () => {
    let now = Date.now();
    const store = `file:${join(folder(), "state.db")}`;
    const made = await createToken(store, { ...ana, expires_at: new Date(now + 60_000).toISOString() });
    const person = personOf((await bench([], { store, clock: () => now })).url, made);
    expect((await person.get("/approvals")).status).toBe(200);
    now += 60_000;
    expect((await person.get("/approvals")).status).toBe(401);
  });

  it("is no good once it is revoked, in every process", async () => {
    const first = await people([], { ana: ["admin"] });
    const second = personOf((await bench([], { store: first.store })).url, first.ana);
    expect((await second.get("/approvals")).status).toBe(200);
    expect(await revokeToken(first.store, first.ana.token_id)).toMatchObject({ principal: "ana" });
    expect((await first.ana.get("/approvals")).status).toBe(401);
    expect((await second.get("/approvals")).status).toBe(401);
    // The last one has gone, and nobody comes in by that.
    expect((await first.get("/approvals")).status).toBe(401);
    expect(await revokeToken(first.store, "0000000000000000")).toBeNull();
    expect(JSON.stringify(await listTokens(first.store))).not.toMatch(/secret|digest/);
  });

  it("makes a running server ask who everybody is, when it is the first", async () => {
    const server = await bench([]);
    expect((await server.get("/approvals", { "x-api-key": "any other" })).status).toBe(200);
    const made = await createToken(server.store, ana);
    await until(async () => (await server.get("/approvals")).status === 401, 2_000);
    expect((await personOf(server.url, made).get("/approvals")).status).toBe(200);
  });
});

describe("credentials that fail", () => {
  it("are held up after ten in a minute, and good ones never", async () => {
    const server = await people([], { ana: ["admin"] });
    const guess = () => server.get("/approvals", { authorization: `Bearer cs_${"0".repeat(16)}_x` });
    for (let count = 0; count < 10; count += 1) expect((await guess()).status).toBe(401);
    const { status, headers, body } = await guess();
    expect([status, body["code"]]).toEqual([429, "too_many_failures"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(50);
    expect((await server.ana.get("/approvals")).status).toBe(200);
    // Who shows nothing guesses nothing.
    expect((await server.get("/approvals")).status).toBe(401);
  });
});

describe("a server that others can reach", () => {
  const config = { graphs: { agent: agent(new Effects(), []) } };

  it("does not start where nobody could say who they are", async () => {
    const store = `file:${join(folder(), "state.db")}`;
    for (const host of ["0.0.0.0", "::", "192.168.0.1", "localhost.example.com", "127.0.0.1.example.com"])
      await expect(createServer({ config, store, host, port: 0 })).rejects.toMatchObject({
        code: "identity_required",
        message: expect.stringContaining("countersign token create") as string,
      });
  });

  it("starts where there is a token, and asks for it on loopback too", async () => {
    const store = `file:${join(folder(), "state.db")}`;
    const made = await createToken(store, { ...ana, roles: ["requester"] });
    const server = await bench([{ content: "hello" }], { store, host: "0.0.0.0" });
    expect((await server.get("/approvals")).status).toBe(401);
    const person = personOf(server.url, made);
    expect((await person.post("/runs/wait", runOf("hi"))).body["messages"]).toHaveLength(2);
  });
});
