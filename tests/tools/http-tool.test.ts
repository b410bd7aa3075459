import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it, vi } from "vitest";
import { riskOf } from "../../src/graph/with-risk.ts";
import { lookupElsewhere, NearError } from "../../src/tools/this-machine.ts";
import { workspaceTools } from "../../src/tools/index.ts";
import type { WorkspaceToolsOptions } from "../../src/tools/index.ts";
import { tempWorkspace, type TempWorkspace } from "./temp-workspace.ts";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A workspace whose agent may send requests to one server of this machine. */
function reaching(url: string, options: WorkspaceToolsOptions = {}): TempWorkspace {
  return tempWorkspace({ localTargets: [new URL(url).host], ...options });
}

describe("http_request", () => {
  it.each([
    ["GET", "suggest"],
    ["HEAD", "suggest"],
    [undefined, "suggest"],
    ["POST", "approve"],
    ["DELETE", "approve"],
    ["OPTIONS", "approve"],
    ["get", "approve"],
    [7, "approve"],
  ])("asks before it changes something: %s is %s", (method, tier) => {
    const risk = riskOf(workspaceTools("/nowhere").find((each) => each.name === "http_request") ?? {})?.tier;
    expect(typeof risk === "function" ? risk({ method, url: "http://x/" }) : risk).toBe(tier);
  });

  it("sends method, headers and body, and shows status, type and body", async () => {
    const url = await serve((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => {
        response.writeHead(201, { "content-type": "text/plain" });
        response.end(`${request.method} ${String(request.headers["x-a"])} ${body}`);
      });
    });
    const args = { method: "POST", url, headers: { "x-a": "1" }, body: "hi" };
    expect(await reaching(url).call("http_request", args)).toBe(
      "201 Created\ncontent-type: text/plain\n\nPOST 1 hi",
    );
  });

  it("reports a redirect and does not follow it", async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(request.url ?? "");
      response.writeHead(302, { location: "/next" }).end();
    });
    const result = await reaching(url).call("http_request", { method: "GET", url: `${url}/first` });
    expect(result).toContain(`302 Found\nredirect, not followed, to: ${url}/next`);
    expect(seen).toEqual(["/first"]);
  });

  it("cuts a body without an end and closes the connection", async () => {
    let closed = false;
    const url = await serve((_, response) => {
      response.on("close", () => (closed = true));
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(1000)));
      };
      response.on("drain", write);
      write();
    });
    const result = await reaching(url, { maxBodyBytes: 5000 }).call("http_request", { url });
    expect(result).toContain("[cut: only the first 5000 bytes were read]");
    await vi.waitFor(() => expect(closed).toBe(true));
  });

  it("stops at its time limit", async () => {
    const url = await serve(() => undefined);
    const { call } = reaching(url, { httpTimeoutMs: 200 });
    await expect(call("http_request", { url })).rejects.toThrow(/did not finish its answer within 0\.2 s/u);
  });

  it("stops when the run is cancelled", async () => {
    const abort = new AbortController();
    let closed = false;
    const url = await serve((_, response) => {
      response.on("close", () => (closed = true));
      abort.abort();
    });
    await expect(reaching(url).call("http_request", { url }, abort.signal)).rejects.toThrow();
    await vi.waitFor(() => expect(closed).toBe(true));
  });

  it.each([
    ["file:///etc/passwd", /http:\/\/ or https:\/\//u],
    ["ftp://x/", /http:\/\//u],
    ["no url", /http:\/\//u],
    ["http://user:secret@127.0.0.1/", /user name or password/u],
  ])("does not send to %s", async (url, message) => {
    await expect(tempWorkspace().call("http_request", { url })).rejects.toThrow(message);
  });

  it("says why there was no answer, and does not show a binary body", async () => {
    const url = await serve((_, response) => response.end(Buffer.from([0, 1, 2])));
    expect(await reaching(url).call("http_request", { url })).toContain("[binary content, not shown]");
    const gone = await serve(() => undefined);
    const server = servers.pop();
    await new Promise((resolve) => server?.close(resolve));
    await expect(reaching(gone).call("http_request", { url: gone })).rejects.toThrow(/ECONNREFUSED/u);
  });
});

describe("http_request does not reach the server of this machine", () => {
  const own = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const addresses = own.map(({ address, family }) =>
    family === "IPv6" ? `[${address.split("%")[0]}]` : address,
  );

  it.each([
    "localhost",
    "LOCALHOST",
    "app.localhost",
    "127.1",
    "127.0.0.1.",
    "0.0.0.0",
    "0",
    "2130706433",
    "0x7f.0.0.1",
    "017700000001",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "169.254.169.254",
    ...addresses,
  ])("by the name %s", async (host) => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    const { call } = tempWorkspace({ httpTimeoutMs: 2_000 });
    await expect(call("http_request", { url: `http://${host}:${port}/` })).rejects.toThrow(
      /this machine|ENOTFOUND|EAI_AGAIN/u,
    );
    expect(requests).toBe(0);
  });

  it("by any name that leads to it", async () => {
    const found = await new Promise<Error | null>((resolve) =>
      lookupElsewhere("localhost", {}, (error) => resolve(error)),
    );
    expect(found).toBeInstanceOf(NearError);
  });

  it("by a redirect, which is not followed, and by headers of the connection", async () => {
    const url = await serve((_, response) =>
      response.writeHead(302, { location: "http://localhost:1/" }).end(),
    );
    expect(await reaching(url).call("http_request", { url })).toContain("redirect, not followed");
    const headers = { Host: "localhost:4100" };
    await expect(reaching(url).call("http_request", { url, headers })).rejects.toThrow(
      /must not hold "host"/u,
    );
  });

  it("on a port beside one that is allowed", async () => {
    const [one, other] = [await serve((_, response) => response.end("one")), await serve(() => undefined)];
    const { call } = reaching(one);
    expect(await call("http_request", { url: one })).toContain("one");
    await expect(call("http_request", { url: other })).rejects.toThrow(/this machine/u);
  });
});
