import { tool } from "@langchain/core/tools";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, onTestFinished } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk, type ApprovalGraph } from "../../src/graph/index.ts";
import type { Approval } from "../../src/ledger/index.ts";
import { scriptedModel, type Step } from "../../src/models/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { createServer, type CountersignServer, type ServerOptions } from "../../src/wire.ts";

/** What the tools of a test did. */
export class Effects {
  readonly deleted: string[] = [];
  readonly read: string[] = [];
  /** While set, a deletion waits for it. */
  gate: Promise<void> = Promise.resolve();
  /** How many deletions have begun. */
  begun = 0;
}

export const call = (name: string, args: Record<string, unknown>, id?: string) => ({
  name,
  args,
  ...(id !== undefined && { id }),
});
export const remove = (...paths: string[]): Step => ({
  tool_calls: paths.map((path, index) => call("delete_file", { path }, `c_${path}_${index}`)),
});

export function agent(effects: Effects, steps: readonly Step[], policy?: PolicyInput): ApprovalGraph {
  const path = z.object({ path: z.string().min(1) });
  const deleteFile = tool(
    async (args: { path: string }) => {
      effects.begun += 1;
      await effects.gate;
      effects.deleted.push(args.path);
      return `deleted ${args.path}`;
    },
    { name: "delete_file", description: "Deletes a file.", schema: path },
  );
  const readFile = tool(
    (args: { path: string }) => {
      effects.read.push(args.path);
      return `contents of ${args.path}`;
    },
    { name: "read_file", description: "Reads a file.", schema: path },
  );
  return createApprovalAgent({
    model: scriptedModel(steps, { strict: true }),
    tools: [withRisk(deleteFile, "approve"), withRisk(readFile, "auto", { readOnly: true })],
    ...(policy && { policy }),
  });
}

/** A new folder that goes with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "countersign-server-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

/** JSON that tests look into freely: what it holds is what is tested. */
export interface Json {
  [key: string]: Json;
  [index: number]: Json;
}

/** A list in an answer. */
export function listOf(json: Json | undefined): Json[] {
  return json as unknown as Json[];
}

/** A text in an answer. */
export function textOf(json: Json | undefined): string {
  return json as unknown as string;
}

export interface Client {
  url: string;
  get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  remove: (path: string) => Promise<Answer>;
}

export function clientOf(url: string): Client {
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as Json,
    };
  };
  return {
    url,
    get: (path, headers) => send("GET", path, undefined, headers),
    post: (path, body, headers) => send("POST", path, body, headers),
    remove: (path) => send("DELETE", path),
  };
}

export interface Bench extends Client {
  server: CountersignServer;
  effects: Effects;
  store: string;
  errors: unknown[];
  /** Begins a run on a new thread and waits until it has stopped. */
  begin: (text?: string) => Promise<{ thread_id: string; values: Json }>;
  pending: (thread_id?: string) => Promise<Approval[]>;
  /** Stops this server and starts another on the same store. */
  restart: (change?: Partial<ServerOptions>) => Promise<Bench>;
}

const running = new Set<CountersignServer>();
afterEach(async () => {
  const all = [...running];
  running.clear();
  await Promise.all(all.map((server) => server.stop()));
});

export interface BenchOptions extends Partial<ServerOptions> {
  policy?: PolicyInput;
  effects?: Effects;
}

/** A server over real HTTP, on a SQLite file of its own, with an agent that follows a script. */
export async function bench(steps: readonly Step[], options: BenchOptions = {}): Promise<Bench> {
  const { policy, effects = new Effects(), ...rest } = options;
  const errors: unknown[] = [];
  const store = rest.store ?? `file:${join(folder(), "state.db")}`;
  const server = await createServer({
    config: { graphs: { agent: agent(effects, steps, policy) } },
    port: 0,
    logger: { error: (_message, error) => errors.push(error) },
    ...rest,
    store,
  });
  running.add(server);
  const { url } = await server.start();
  const client = clientOf(url);
  return {
    ...client,
    ...{ server, effects, store, errors },
    async begin(text = "go") {
      const { body: thread } = await client.post("/threads", {});
      const thread_id = textOf(thread["thread_id"]);
      const { body } = await client.post(`/threads/${thread_id}/runs/wait`, runOf(text));
      return { thread_id, values: body };
    },
    async pending(thread_id) {
      const { body } = await client.get(
        `/approvals${thread_id === undefined ? "" : `?thread_id=${thread_id}`}`,
      );
      // Parallel calls ask in any order, so tests know them by the order in which the model made them.
      const approvals = body["approvals"] as unknown as Approval[];
      return approvals.toSorted((one, other) => (one.turn_id === other.turn_id ? byPath(one, other) : 0));
    },
    async restart(change = {}) {
      running.delete(server);
      await server.stop();
      return bench(steps, { ...options, ...change, effects, store });
    },
  };
}

function byPath(one: Approval, other: Approval): number {
  return String(one.args["path"]).localeCompare(String(other.args["path"]));
}

export function runOf(text: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { assistant_id: "agent", input: { messages: [{ role: "user", content: text }] }, ...more };
}

export const resumeOf = (resume: unknown, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  assistant_id: "agent",
  command: { resume },
  ...more,
});

/** Waits until something holds, looking often. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 8_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("It did not come to hold in time.");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
