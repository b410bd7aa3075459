import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isPublicAddress } from "../../src/server/webhooks/public-address.ts";
import { reachable } from "../../src/server/webhooks/allowed-hosts.ts";
import { postOnce } from "../../src/server/webhooks/post-once.ts";
import { bench, remove, runOf, textOf, until } from "./bench.ts";

const steps = [remove("a"), { content: "done" }];

interface Told {
  id: string | undefined;
  url: string | undefined;
  body: Record<string, unknown>;
}

/** Somebody who is told of runs, and answers as `answer` says. */
async function receiver(answer: (response: ServerResponse, count: number) => void = (r) => void r.end()) {
  const told: Told[] = [];
  const server = createHttp((request: IncomingMessage, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const id = request.headers["webhook-id"]?.toString();
      told.push({ id, url: request.url, body: JSON.parse(body) as Told["body"] });
      answer(response, told.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { told, port: (server.address() as AddressInfo).port };
}

const everywhere = () => true;
const nowhere = reachable([]);
const post = (url: string, more: Partial<Parameters<typeof postOnce>[0]> = {}) =>
  postOnce({ url, body: "{}", headers: { "content-type": "application/json" }, mayReach: nowhere, ...more });

describe("an address", () => {
  it.each([
    ...[
      "127.0.0.1",
      "127.9.9.9",
      "10.1.2.3",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "0.0.0.0",
      "0.1.2.3",
    ],
    ...["169.254.169.254", "100.64.0.1", "100.127.255.255", "224.0.0.1", "239.1.1.1", "240.0.0.1"],
    ...[
      "255.255.255.255",
      "192.0.0.1",
      "192.0.2.1",
      "198.18.0.1",
      "198.51.100.7",
      "203.0.113.7",
      "192.88.99.1",
    ],
    ...["::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::7f00:1"],
    ...[
      "fc00::1",
      "fd12::1",
      "fe80::1",
      "fe80::1%eth0",
      "fec0::1",
      "ff02::1",
      "2001:db8::1",
      "2002:7f00:1::",
    ],
    ...["2001::1", "100::1", "", "localhost", "127.1", "0x7f000001"],
  ])("%j is not public", (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(["8.8.8.8", "1.1.1.1", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"])(
    "%j is public",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe("a webhook to a private address", () => {
  it.each([
    ...[
      "http://127.0.0.1:9/x",
      "http://2130706433/",
      "http://0x7f.1/",
      "http://[::1]/",
      "http://localhost:9/",
    ],
    ...["http://[::ffff:127.0.0.1]/", "http://169.254.169.254/latest/meta-data", "https://10.0.0.1/"],
    ...["http://a.localhost/", "http://LOCALHOST./", "http://user:pw@example.com/", "http://0/"],
  ])("is refused before anything is begun: %s", async (webhook) => {
    const { post, get } = await bench(steps);
    const { body } = await post("/threads", {});
    const path = `/threads/${textOf(body["thread_id"])}/runs`;
    const answer = await post(path, runOf("go", { webhook }));
    expect(answer).toMatchObject({
      status: 422,
      body: { code: "invalid_request", errors: [{ path: "webhook" }] },
    });
    expect((await get(path)).body).toEqual([]);
    expect((await post("/runs", runOf("go", { webhook }))).status).toBe(422);
  });

  it("is not told where its name turns out to lead there, whatever it led to before", async () => {
    const { told, port } = await receiver();
    const addresses = ["8.8.8.8", "127.0.0.1"];
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return [{ address: addresses.at(Math.min(asked.length, 2) - 1)!, family: 4 }];
    };
    await resolve("hook.example");
    const problem = await post(`http://hook.example:${port}/`, { resolve });
    expect(problem).toMatch(/127\.0\.0\.1 is not a public address/);
    expect(asked).toEqual(["hook.example", "hook.example"]);
    expect(told).toEqual([]);
  });

  it("is not told where one of several addresses would be reached, but at the others", async () => {
    const { told, port } = await receiver();
    const all = ["10.255.255.1", "127.0.0.1"].map((address) => ({ address, family: 4 }));
    const mayReach = (_: string, address: string) => address === "127.0.0.1";
    expect(await post(`http://hook.example:${port}/`, { resolve: async () => all, mayReach })).toBeNull();
    expect(told).toHaveLength(1);
  });

  it("is told where its host is allowed, by name", async () => {
    const { told, port } = await receiver();
    const send = (host: string, allowed: string[]) =>
      post(`http://${host}:${port}/`, { mayReach: reachable(allowed) });
    expect(await send("127.0.0.1", ["127.0.0.1"])).toBeNull();
    expect(await send("localhost", ["LOCALHOST"])).toBeNull();
    expect(await send("127.0.0.1", ["localhost"])).toBeNull();
    expect(await send("127.0.0.1", ["127.0.0.2", "example.com"])).toMatch(/not a public/);
    expect(await send("localhost", ["10.0.0.1"])).toMatch(/not a public/);
    expect(told).toHaveLength(3);
  });
});

describe("an answer to a webhook", () => {
  it("that leads elsewhere is not followed", async () => {
    const target = await receiver();
    const first = await receiver((response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${target.port}/` }).end(),
    );
    expect(await post(`http://127.0.0.1:${first.port}/`, { mayReach: everywhere })).toBe("it answered 307");
    expect(target.told).toEqual([]);
  });

  it("without an end is read for 64 KiB and no further", async () => {
    let sent = 0;
    const { port } = await receiver((response) => {
      const write = (): void => {
        if (response.destroyed) return;
        sent += 16_384;
        response.write("x".repeat(16_384), () => setImmediate(write));
      };
      write();
    });
    expect(await post(`http://127.0.0.1:${port}/`, { mayReach: everywhere })).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 50));
    // What lies in the buffers of the connection has been sent as well.
    expect(sent).toBeLessThan(20_000_000);
  });

  it("that never comes is given up when the server stops", async () => {
    const { port } = await receiver(() => undefined);
    const stop = new AbortController();
    const problem = post(`http://127.0.0.1:${port}/`, { mayReach: everywhere, signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    expect(await problem).toMatch(/abort/);
  });
});

describe("a webhook that is still to be told", () => {
  const allowWebhookHosts = ["localhost"];

  it("outlives a stop of the server, and has the same id each time", async () => {
    let isUp = false;
    const { told, port } = await receiver((response) => void response.writeHead(isUp ? 200 : 500).end());
    const first = await bench(steps, { allowWebhookHosts });
    const { body } = await first.post("/threads", {});
    const webhook = `http://127.0.0.1:${port}/ended`;
    await first.post(`/threads/${textOf(body["thread_id"])}/runs/wait`, runOf("go", { webhook }));
    await until(() => told.length === 1);
    await first.server.stop();
    isUp = true;
    const second = await first.restart();
    await until(() => told.length === 2);
    expect(told[1]).toEqual(told[0]);
    expect(told[1]).toMatchObject({
      id: told[1]!.body["run_id"],
      url: "/ended",
      body: { status: "interrupted" },
    });
    const third = await second.restart();
    await third.begin();
    expect(told).toHaveLength(2);
    expect(first.errors).toEqual([]);
  });

  it("is told though the server stops while the answer is awaited", async () => {
    const { told, port } = await receiver((response, count) => (count > 1 ? void response.end() : undefined));
    const first = await bench(steps, { allowWebhookHosts });
    await first.post("/runs", runOf("go", { webhook: `http://127.0.0.1:${port}/`, on_completion: "keep" }));
    await until(() => told.length === 1);
    await first.restart();
    await until(() => told.length === 2);
    expect(first.errors).toEqual([]);
  });

  it("is not told any more once its thread was deleted", async () => {
    const { told, port } = await receiver((response) => void response.writeHead(500).end());
    const first = await bench(steps, { allowWebhookHosts });
    const { body } = await first.post("/threads", {});
    const thread_id = textOf(body["thread_id"]);
    await first.post(
      `/threads/${thread_id}/runs/wait`,
      runOf("go", { webhook: `http://127.0.0.1:${port}/` }),
    );
    await until(() => told.length === 1);
    await first.remove(`/threads/${thread_id}`);
    const second = await first.restart();
    await second.begin();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(told).toHaveLength(1);
  });
});
