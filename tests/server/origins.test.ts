import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createServer } from "../../src/wire.ts";
import { agent, bench, Effects, folder, remove } from "./bench.ts";
import { raw } from "./raw-request.ts";

const origin = "https://app.example";
const allowOrigins = [origin];
const json = { "content-type": "application/json" };
const answers = { "access-control-allow-origin": origin, vary: "Origin" };

describe("pages of an allowed origin", () => {
  it("may ask before any method, with the headers that clients send", async () => {
    const server = await bench([], { allowOrigins });
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"]) {
      const headers = "authorization,content-type,last-event-id,x-api-key,x-auth-scheme";
      const preflight = await raw(server, "OPTIONS", "/threads/t1/runs/stream", {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": headers,
      });
      expect(preflight).toMatchObject({
        status: 204,
        headers: { ...answers, "access-control-allow-headers": headers },
      });
      expect(preflight.headers["access-control-allow-methods"]).toContain(method);
      expect(preflight.headers["access-control-allow-private-network"]).toBeUndefined();
    }
  });

  it("may reach this machine from the internet; others may not", async () => {
    const server = await bench([], { allowOrigins });
    const asking = {
      "access-control-request-method": "POST",
      "access-control-request-private-network": "true",
    };
    const header = "access-control-allow-private-network";
    expect((await raw(server, "OPTIONS", "/info", { ...asking, origin })).headers[header]).toBe("true");
    for (const other of ["https://evil.example", "http://app.example", server.url]) {
      const answer = await raw(server, "OPTIONS", "/info", { ...asking, origin: other });
      expect(answer.headers[header]).toBeUndefined();
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("can read every answer, and where it says that a run or a next page is", async () => {
    const server = await bench([remove("a"), { content: "done" }], { allowOrigins });
    await server.begin();
    const [approval] = await server.pending();
    const decision = `/approvals/${approval!.approval_id}/decision`;
    const repeated = { ...json, "idempotency-key": "k1" };
    const asked: [string, string, Record<string, string>, string?][] = [
      ["GET", "/ok", {}],
      ["GET", "/nothing", {}],
      ["PUT", "/approvals", json, "{}"],
      ["POST", "/threads", json, "{ not json"],
      ["POST", "/threads", { "content-type": "text/plain" }, "{}"],
      ["POST", "/threads/search", json, "{}"],
      ["POST", decision, repeated, '{"type":"reject"}'],
      ["POST", decision, repeated, '{"type":"reject"}'],
      ["GET", "/docs", {}],
    ];
    for (const [method, path, headers, body] of asked) {
      const answer = await raw(server, method, path, { origin, ...headers }, body);
      expect(answer.headers, `${method} ${path}`).toMatchObject(answers);
      const exposed = String(answer.headers["access-control-expose-headers"]).split(", ");
      for (const name of ["content-location", "location", "x-pagination-total", "x-pagination-next"])
        expect(exposed).toContain(name);
    }
    expect(server.effects.deleted).toEqual([]);
  });

  it("can read a stream", async () => {
    const server = await bench([{ content: "done" }], { allowOrigins });
    const body = JSON.stringify({ assistant_id: "agent", input: { messages: [] } });
    const stream = await raw(server, "POST", "/runs/stream", { origin, ...json }, body);
    expect(stream).toMatchObject({ status: 200, headers: answers });
    expect(stream.headers["content-location"]).toContain("/runs/");
  });
});

describe("an origin to be allowed", () => {
  const start = (given: string) =>
    createServer({
      config: { graphs: { agent: agent(new Effects(), []) } },
      store: `file:${join(folder(), "state.db")}`,
      allowOrigins: [given],
    });

  it.each([
    ["*", /any page.*could decide/],
    ["null", /no origin/],
    ["app.example", /no origin/],
    ["https://app.example/", /Write it like "https:\/\/app\.example"/],
    ["https://app.example/chat", /Write it like "https:\/\/app\.example"/],
    ["HTTPS://app.example", /Write it like "https:\/\/app\.example"/],
    ["https://app.example:443", /Write it like "https:\/\/app\.example"/],
    ["file:///tmp", /no origin/],
    ["", /no origin/],
  ])("may not be %j", async (given, says) => {
    const refusal = (await start(given).catch((error: unknown) => error)) as Error;
    expect(refusal).toMatchObject({ code: "bad_origin" });
    expect(refusal.message).toMatch(says);
  });
});
