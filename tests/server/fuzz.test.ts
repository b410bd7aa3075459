import fc from "fast-check";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { anyRequest, type FuzzRequest } from "./fuzz/requests.ts";
import { resolveRefs } from "./fuzz/values.ts";
import { World } from "./fuzz/world.ts";

const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261);
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 10_000);
/** What has no answer after this time hangs. */
const LIMIT_MS = 5_000;
/** How long a stream of events is read. */
const LISTEN_MS = 10;

interface Answered {
  status: number;
  type: string;
  text: string;
}

type Send = (path: string, init: RequestInit) => Promise<Response>;

describe(`any request (FUZZ_SEED=${SEED})`, () => {
  it(
    "is answered in time, without a failure or a word of the inside, and changes nothing when it is refused",
    { timeout: 600_000 },
    async () => {
      const world = await World.open();
      await run(world, async (path, init) => world.server.app.request(path, init), REQUESTS);
    },
  );

  it("is so over HTTP, too", { timeout: 120_000 }, async () => {
    const world = await World.open();
    await run(world, (path, init) => fetch(`${world.server.url}${path}`, init), Math.ceil(REQUESTS / 20), 1);
  });
});

async function run(world: World, send: Send, numRuns: number, offset = 0): Promise<void> {
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      if (sent % 100 === 0) await seed(world);
      sent += 1;
      await quiet(world);
      const answered = await ask(world, send, request);
      check(world, answered, await quiet(world));
    }),
    // A request means something else after the others were not sent, so that none is made smaller.
    { seed: SEED + offset, numRuns, endOnFailure: true },
  );
}

/** Lets there be a thread that waits, one that has ended and an assistant. */
async function seed({ server }: World): Promise<void> {
  const post = (path: string, body: unknown): Response | Promise<Response> =>
    server.app.request(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  for (const content of ["delete", "both", "read"]) {
    const { thread_id } = (await (await post("/threads", {})).json()) as { thread_id: string };
    const input = { messages: [{ role: "user", content }] };
    await (await post(`/threads/${thread_id}/runs/wait`, { assistant_id: "agent", input })).text();
  }
  await (await post("/assistants", { graph_id: "agent", name: "one" })).text();
}

/** Waits until nothing goes on any more that the requests before have begun; what was written meanwhile. */
async function quiet(world: World): Promise<string[]> {
  const all: string[] = [];
  const end = Date.now() + LIMIT_MS;
  for (let rounds = 0; rounds < 2;) {
    if (Date.now() > end) throw new Error(`Something went on for more than ${LIMIT_MS} ms.`);
    await nextTurn();
    const changes = world.changes();
    all.push(...changes);
    rounds = world.isRunning() || changes.length > 0 ? 0 : rounds + 1;
    if (rounds === 0) await sleep(1);
  }
  return all;
}

async function ask(world: World, send: Send, request: FuzzRequest): Promise<Answered> {
  const fill = (text: string): string => resolveRefs(text, (ref) => world.find(ref));
  const { method, headers, body } = request;
  const leaving = new AbortController();
  const late = setTimeout(() => leaving.abort(new Error(`No answer within ${LIMIT_MS} ms.`)), LIMIT_MS);
  const isLate = new Promise<never>((_, reject) => {
    leaving.signal.addEventListener("abort", () => reject(leaving.signal.reason as Error));
  });
  isLate.catch(() => undefined);
  try {
    const init = { method, headers, signal: leaving.signal, ...(body !== undefined && { body: fill(body) }) };
    const response = await Promise.race([send(fill(request.path), init), isLate]);
    const type = response.headers.get("content-type") ?? "";
    const text = await Promise.race([read(response, type), isLate]);
    return { status: response.status, type, text };
  } finally {
    clearTimeout(late);
  }
}

/** The body of an answer; of a stream of events what comes at once. */
async function read(response: Response, type: string): Promise<string> {
  if (!type.startsWith("text/event-stream") || response.body === null) return response.text();
  const reader = response.body.getReader();
  let text = "";
  for (const end = Date.now() + LISTEN_MS; ;) {
    const next = reader.read();
    const chunk = await Promise.race([next, sleep(Math.max(1, end - Date.now()), undefined)]);
    if (chunk?.value !== undefined) text += Buffer.from(chunk.value).toString();
    if (chunk === undefined || chunk.done) break;
  }
  await reader.cancel().catch(() => undefined);
  return text;
}

function check(world: World, { status, type, text }: Answered, changes: string[]): void {
  expect(status, text).toBeLessThan(500);
  expect(world.errors, "what the server tells its log").toEqual([]);
  for (const inside of [process.cwd(), world.folder, "node_modules", "file://", ".ts:", ".js:"])
    expect(text.includes(inside), `${inside} is in the answer ${text.slice(0, 2_000)}`).toBe(false);
  expect(text).not.toMatch(/\n\s*at \S+ \(|\\n\s+at /);
  if (status < 400) return;
  expect(changes, `written by a request that was refused: ${text}`).toEqual([]);
  if (text === "") return;
  expect(type).toContain("application/problem+json");
  expect(JSON.parse(text)).toMatchObject({ status, code: expect.stringMatching(/^[a-z_]+$/) as string });
}
