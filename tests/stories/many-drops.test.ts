import { Client } from "@langchain/langgraph-sdk";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openStream } from "../server/sse.ts";
import { calls, says } from "./plan.ts";
import { sockets } from "./sockets.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

const CLIENTS = 200;
/** A client stays for at most so many milliseconds. */
const LONGEST_MS = 2_000;

/** Connects to a thread of its own in one of several ways, and leaves at a moment that nobody can foresee. */
async function comeAndGo({ url }: Server, sdk: Client, number: number): Promise<string> {
  const { thread_id } = await sdk.threads.create();
  const leaving = new AbortController();
  const { signal } = leaving;
  const input = { messages: [{ role: "user", content: `file-${number}` }] };
  const streamMode = ["values", "updates", "messages-tuple"] as const;
  const run = sdk.runs.stream(thread_id, "agent", { input, streamMode: [...streamMode], signal });
  const reading = [drain(run)];
  if (number % 3 === 0) reading.push(drain(sdk.threads.joinStream(thread_id, { signal })));
  const events = number % 3 === 1 ? await openStream(`${url}/events?thread_id=${thread_id}`) : null;
  await sleep(Math.random() * LONGEST_MS);
  leaving.abort();
  events?.close();
  await Promise.all([...reading, events?.ended]);
  return thread_id;
}

async function drain(parts: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _part of parts);
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
  }
}

it("brings the runs of 200 clients that drop their streams to their pause, and keeps nothing of the clients", async () => {
  const { start, effects } = story([calls(["delete", "$text"]), says("done")]);
  const server = await start();
  const ownSockets = sockets(server.pid);
  const untilAtRest = () =>
    until(() => sockets(server.pid) === ownSockets, "all sockets were closed", 15_000);
  const callerOptions = { maxConcurrency: CLIENTS, maxRetries: 0 };
  const sdk = new Client({ apiUrl: server.url, apiKey: null, callerOptions });
  await server.begin("first");
  await untilAtRest();
  const before = await server.resources();

  const threads = await Promise.all(
    Array.from({ length: CLIENTS }, (_, number) => comeAndGo(server, sdk, number)),
  );
  const statuses = async () =>
    Promise.all(threads.map(async (thread_id) => (await sdk.threads.get(thread_id)).status));
  await until(async () => !(await statuses()).includes("busy"), "no thread was busy");
  // One that left before the server had heard its wish began nothing; all others wait for a person.
  const runs = await Promise.all(threads.map((thread_id) => sdk.runs.list(thread_id)));
  const begun = runs.flat();
  expect(begun.length).toBeGreaterThan(CLIENTS / 2);
  expect(new Set(begun.map(({ status }) => status))).toEqual(new Set(["interrupted"]));
  expect((await statuses()).filter((status) => status === "interrupted")).toHaveLength(begun.length);
  expect(await server.approvals()).toHaveLength(begun.length + 1);

  await sleep(5_000);
  await untilAtRest();
  expect(await server.resources()).toEqual(before);

  const some = (await server.approvals()).slice(0, 10);
  for (const { approval_id } of some) await server.decide(approval_id, { type: "approve" });
  expect(effects().toSorted()).toEqual(some.map(({ args }) => `delete ${String(args["path"])}`).toSorted());
  expect(server.stderr()).toBe("");
});
