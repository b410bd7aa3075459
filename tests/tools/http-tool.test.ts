import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { riskOf } from "../../src/graph/with-risk.ts";
import { workspaceTools } from "../../src/tools/index.ts";
import { tempWorkspace } from "./temp-workspace.ts";

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
    expect(await tempWorkspace().call("http_request", args)).toBe(
      "201 Created\ncontent-type: text/plain\n\nPOST 1 hi",
    );
  });

  it("reports a redirect and does not follow it", async () => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(request.url ?? "");
      response.writeHead(302, { location: "/next" }).end();
    });
    const result = await tempWorkspace().call("http_request", { method: "GET", url: `${url}/first` });
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
    const result = await tempWorkspace({ maxBodyBytes: 5000 }).call("http_request", { url });
    expect(result).toContain("[cut: only the first 5000 bytes were read]");
    await vi.waitFor(() => expect(closed).toBe(true));
  });

  it("stops at its time limit", async () => {
    const url = await serve(() => undefined);
    const { call } = tempWorkspace({ httpTimeoutMs: 200 });
    await expect(call("http_request", { url })).rejects.toThrow(/did not finish its answer within 0\.2 s/u);
  });

  it("stops when the run is cancelled", async () => {
    const abort = new AbortController();
    let closed = false;
    const url = await serve((_, response) => {
      response.on("close", () => (closed = true));
      abort.abort();
    });
    await expect(tempWorkspace().call("http_request", { url }, abort.signal)).rejects.toThrow();
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
    expect(await tempWorkspace().call("http_request", { url })).toContain("[binary content, not shown]");
    const gone = await serve(() => undefined);
    const server = servers.pop();
    await new Promise((resolve) => server?.close(resolve));
    await expect(tempWorkspace().call("http_request", { url: gone })).rejects.toThrow(/ECONNREFUSED/u);
  });
});
