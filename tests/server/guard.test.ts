import { describe, expect, it } from "vitest";
import { bench, remove } from "./bench.ts";
import { raw } from "./raw-request.ts";

const json = { "content-type": "application/json" };

describe("who may use the server", () => {
  it("refuses a foreign name in Host, whatever the route", async () => {
    const server = await bench([]);
    for (const host of [
      "evil.example",
      "evil.example:4100",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
    ]) {
      const answer = await raw(server, "GET", "/approvals", { host });
      expect(answer.status).toBe(403);
      expect(answer.headers["content-type"]).toBe("application/problem+json");
      expect(JSON.parse(answer.body)).toMatchObject({ code: "forbidden_host" });
    }
  });

  it("answers to this machine's names", async () => {
    const server = await bench([]);
    for (const host of ["localhost", "localhost:80", "127.0.0.1:1", "[::1]:4100", "app.localhost"])
      expect((await raw(server, "GET", "/ok", { host })).status).toBe(200);
  });

  it("lets no foreign page decide", async () => {
    const server = await bench([remove("a"), { content: "done" }]);
    await server.begin();
    const [approval] = await server.pending();
    const path = `/approvals/${approval!.approval_id}/decision`;
    const approve = JSON.stringify({ type: "approve" });
    const attempts: [Record<string, string>, string][] = [
      [{ ...json, origin: "https://evil.example" }, "forbidden_origin"],
      [{ ...json, origin: "null" }, "forbidden_origin"],
      [{ ...json, origin: "http://localhost:1" }, "forbidden_origin"],
      [{ ...json, "sec-fetch-site": "cross-site" }, "forbidden_origin"],
      [{ "content-type": "text/plain", "sec-fetch-site": "same-origin" }, "unsupported_media_type"],
      [{ "content-type": "application/x-www-form-urlencoded" }, "unsupported_media_type"],
      [{ "sec-fetch-site": "same-origin" }, "unsupported_media_type"],
    ];
    for (const [headers, code] of attempts) {
      const answer = await raw(server, "POST", path, headers, approve);
      expect(JSON.parse(answer.body)).toMatchObject({ code });
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
    const withdrawing = await raw(server, "DELETE", `/approvals/${approval!.approval_id}`, {
      origin: "https://evil.example",
    });
    expect(withdrawing.status).toBe(403);
    expect(await server.pending()).toHaveLength(1);
  });

  it("lets its own pages decide, and those that are allowed", async () => {
    const allowOrigins = ["https://app.example"];
    const server = await bench([remove("a"), { content: "done" }], { allowOrigins });
    await server.begin();
    const own = await raw(server, "GET", "/approvals", {
      origin: server.url,
      "sec-fetch-site": "same-origin",
    });
    expect(own.status).toBe(200);
    const [origin] = allowOrigins as [string];
    const preflight = await raw(server, "OPTIONS", "/approvals/x/decision", {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    });
    expect(preflight).toMatchObject({
      status: 204,
      headers: { "access-control-allow-origin": origin, "access-control-allow-headers": "content-type" },
    });
    const read = await raw(server, "GET", "/approvals", { origin, "sec-fetch-site": "cross-site" });
    expect(read.headers["access-control-allow-origin"]).toBe(origin);
    expect(read.headers["access-control-expose-headers"]).toContain("x-pagination-total");
    const missing = await raw(server, "GET", "/approvals/none", { origin });
    expect(missing).toMatchObject({ status: 404, headers: { "access-control-allow-origin": origin } });
    const foreign = await raw(server, "OPTIONS", "/approvals", { origin: "https://other.example" });
    expect(foreign.status).toBe(403);
  });
});

describe("what the server takes", () => {
  it("refuses bodies that are too large, no JSON, or not there", async () => {
    const server = await bench([]);
    const { post } = server;
    const large = await post("/threads", { metadata: { text: "x".repeat(1024 * 1024) } });
    expect(large.body).toMatchObject({ code: "body_too_large", status: 413 });
    expect((await post("/threads", "{ not json")).body).toMatchObject({ code: "invalid_json", status: 400 });
    const empty = await raw(server, "POST", "/threads", json);
    expect(empty.status).toBe(400);
    const bare = await raw(server, "POST", "/runs/wait", {});
    expect(bare.status).toBe(422);
    expect((await post("/threads", { metadata: 1 })).body).toMatchObject({
      code: "invalid_request",
      errors: [{ path: "metadata" }],
    });
  });

  it("says which methods a path has", async () => {
    const server = await bench([]);
    const wrong = await raw(server, "PUT", "/approvals", json, "{}");
    expect(wrong).toMatchObject({ status: 405, headers: { allow: "GET" } });
    expect(JSON.parse(wrong.body)).toMatchObject({ code: "method_not_allowed" });
    expect((await server.get("/nothing")).body).toMatchObject({ code: "not_found", status: 404 });
  });

  it("never tells of its inside", async () => {
    const server = await bench([]);
    await server.server.ledger.close();
    const { status, body } = await server.get("/approvals");
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toMatch(/node_modules|state\.db|at .*\.ts/);
    expect(server.errors.length).toBeGreaterThan(0);
  });
});
