import { createHash } from "node:crypto";
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
      "localhost.",
    ]) {
      const answer = await raw(server, "GET", "/approvals", { host });
      expect(answer.status).toBe(403);
      expect(answer.headers["content-type"]).toBe("application/problem+json");
      expect(JSON.parse(answer.body)).toMatchObject({ code: "forbidden_host" });
    }
  });

  it("refuses what only begins like a name of this machine", async () => {
    const server = await bench([]);
    for (const host of [
      "127.0.0.1:80.evil.example",
      "127.0.0.1@evil.example",
      "[::1].evil.example",
      "[::1",
      "0x7f.1",
    ]) {
      const answer = await raw(server, "GET", "/approvals", { host });
      expect([host, answer.status]).toEqual([host, 403]);
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

describe("what browsers are told", () => {
  const always = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": expect.stringContaining("default-src 'none'") as string,
  };

  it("comes with each answer: of a route, of an error, of a refusal", async () => {
    const server = await bench([]);
    const requests: [string, string, Record<string, string>, number][] = [
      ["GET", "/ok", {}, 200],
      ["HEAD", "/ok", {}, 200],
      ["GET", "/nothing", {}, 404],
      ["PUT", "/approvals", json, 405],
      ["GET", "/approvals/none", {}, 404],
      ["GET", "/approvals", { origin: "https://evil.example" }, 403],
      ["GET", "/approvals", { host: "evil.example" }, 403],
      ["GET", "/docs", {}, 200],
      ["POST", "/threads", { "content-type": "text/plain", "content-length": "1" }, 415],
    ];
    for (const [method, path, headers, status] of requests) {
      const answer = await raw(server, method, path, headers, method === "POST" ? "x" : undefined);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers).toMatchObject(always);
    }
  });

  it("lets pages of an allowed origin read, and those alone", async () => {
    const origin = "https://app.example";
    const server = await bench([], { allowOrigins: [origin] });
    const read = async (headers: Record<string, string>) =>
      (await raw(server, "GET", "/ok", headers)).headers["cross-origin-resource-policy"];
    expect(await read({ origin })).toBe("cross-origin");
    expect(await read({})).toBe("same-origin");
  });

  it("lets the page of the routes have its own style and nothing else", async () => {
    const server = await bench([]);
    const { headers, body } = await raw(server, "GET", "/docs", {});
    const style = /<style>([^<]*)<\/style>/.exec(body)?.[1] ?? "";
    const digest = createHash("sha256").update(style).digest("base64");
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    );
    expect(body).not.toMatch(/<script|\sstyle="|\son\w+="/);
  });
});

describe("what another port of this machine is", () => {
  const sameSite = { "sec-fetch-site": "same-site" };
  const link = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

  it("is somebody else's page: it loads nothing and cancels nothing", async () => {
    const server = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await server.begin();
    for (const headers of [sameSite, { ...sameSite, "sec-fetch-mode": "no-cors" }, { ...sameSite, ...link }])
      for (const path of ["/approvals", `/threads/${thread_id}/runs/x/join?cancel_on_disconnect=1`])
        expect((await raw(server, "GET", path, headers)).status).toBe(403);
  });

  it("may have a link to a page that a person follows", async () => {
    const server = await bench([]);
    for (const site of ["same-site", "cross-site"]) {
      const headers = { ...link, "sec-fetch-site": site };
      expect((await raw(server, "GET", "/docs", headers)).status).toBe(200);
      expect((await raw(server, "POST", "/docs", { ...headers, ...json }, "{}")).status).toBe(403);
      const framed = { ...headers, "sec-fetch-dest": "iframe" };
      expect((await raw(server, "GET", "/docs", framed)).status).toBe(403);
    }
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
