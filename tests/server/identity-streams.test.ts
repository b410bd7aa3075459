import { describe, expect, it } from "vitest";
import { createToken, revokeToken } from "../../src/wire.ts";
import { bench, remove, runOf, textOf, type Bench } from "./bench.ts";
import { Socket } from "./follow.ts";
import { people } from "./identity-bench.ts";

/** A stream that is open, and when it ended. */
async function stream({ url }: Bench, path: string, headers: Record<string, string>, body?: unknown) {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return answer.text().then(() => performance.now());
}

function socketTo({ url }: Bench, path: string, headers: Record<string, string>): WebSocket {
  return new Socket(`${url.replace("http", "ws")}${path}`, { headers });
}

const steps = [remove("a"), { content: "done" }];
const filter = { channels: ["values"] };

describe("what is open", () => {
  it("ends soon after the token was revoked that opened it, and nothing of others", async () => {
    const server = await people(steps, { ana: ["requester"], bob: ["requester"] });
    const { ana, bob, effects } = server;
    let release = (): void => undefined;
    effects.gate = new Promise((resolve) => (release = resolve));
    const thread_id = textOf((await ana.post("/threads")).body["thread_id"]);
    const streams = [
      stream(server, "/events", ana.headers),
      stream(server, `/threads/${thread_id}/stream`, ana.headers),
      stream(server, `/threads/${thread_id}/stream/events`, ana.headers, filter),
    ];
    const socket = socketTo(server, `/threads/${thread_id}/stream/events`, ana.headers);
    await new Promise((resolve) => (socket.onopen = resolve));
    const closed = new Promise<number>((resolve) => (socket.onclose = ({ code }) => resolve(code)));
    const others = socketTo(server, "/threads/other/stream/events", bob.headers);
    await new Promise((resolve) => (others.onopen = resolve));
    const revoked = performance.now();
    await revokeToken(server.store, ana.token_id);
    for (const ended of await Promise.all(streams)) expect(ended - revoked).toBeLessThan(6_000);
    expect(await closed).toBe(1008);
    expect(others.readyState).toBe(1);
    others.close();
    release();
  });

  it("ends with the token's time, and a wait with it", async () => {
    let now = Date.now();
    const first = await bench([]);
    const made = await createToken(first.store, {
      ...{ principal: "ana", roles: ["requester"], expires_at: new Date(now + 60_000).toISOString() },
    });
    const { store } = first;
    await first.server.stop();
    const server = await bench(steps, { store, clock: () => now });
    const headers = { authorization: `Bearer ${made.token}` };
    server.effects.gate = new Promise(() => undefined);
    const events = stream(server, "/events", headers);
    await new Promise((resolve) => setTimeout(resolve, 50));
    now += 60_000;
    await events;
    expect((await server.get("/events", headers)).status).toBe(401);
  });

  it("ends for those who said nothing, when everybody has to from now on", async () => {
    const server = await bench([]);
    const events = stream(server, "/events", {});
    const socket = socketTo(server, "/threads/any/stream/events", {});
    await new Promise((resolve) => (socket.onopen = resolve));
    const closed = new Promise<number>((resolve) => (socket.onclose = ({ code }) => resolve(code)));
    await createToken(server.store, { principal: "ana", roles: ["admin"], expires_at: null });
    await events;
    expect(await closed).toBe(1008);
  });
});

describe("a web socket", () => {
  it("is not opened without a token, nor to the thread of another", async () => {
    const server = await people(steps, { ana: ["requester"], bob: ["requester"] });
    const thread_id = textOf((await server.ana.post("/threads")).body["thread_id"]);
    await server.ana.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
    const path = `/threads/${thread_id}/stream/events`;
    const refusalOf = (headers: Record<string, string>, to = path): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = socketTo(server, to, headers);
        socket.onerror = (event) => resolve((event as unknown as { message: string }).message);
        socket.onopen = () => reject(new Error("It was opened."));
      });
    expect(await refusalOf({})).toMatch(/401/);
    expect(await refusalOf({ "x-api-key": "cs_none" })).toMatch(/401/);
    expect(await refusalOf({}, `${path}?token=${server.ana.token}`)).toMatch(/401/);
    expect(await refusalOf(server.bob.headers)).toMatch(/404/);
    const twice = [server.ana.headers["authorization"], server.bob.headers["authorization"]];
    expect(await refusalOf({ authorization: twice as unknown as string })).toMatch(/401/);
  });
});
