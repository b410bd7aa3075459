import { join } from "node:path";
import type { Role } from "../../src/server/identity/principal.ts";
import type { Step } from "../../src/models/index.ts";
import { createToken } from "../../src/wire.ts";
import { bench, folder, type Answer, type Bench, type BenchOptions, type Json } from "./bench.ts";

/** Somebody with a token, and what they send. */
export interface Person {
  token: string;
  token_id: string;
  headers: Record<string, string>;
  send: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  get: (path: string) => Promise<Answer>;
  post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
}

export type People<Name extends string> = Bench & Record<Name, Person>;

/** A server on whose store there are tokens: of each name, with these roles. */
export async function people<Name extends string>(
  steps: readonly Step[],
  roles: Record<Name, Role[]>,
  options: BenchOptions = {},
): Promise<People<Name>> {
  const store = options.store ?? `file:${join(folder(), "state.db")}`;
  const tokens: [string, Awaited<ReturnType<typeof createToken>>][] = [];
  for (const [name, some] of Object.entries<Role[]>(roles))
    tokens.push([name, await createToken(store, { principal: name, roles: some, expires_at: null })]);
  const server = await bench(steps, { ...options, store });
  const persons = tokens.map(([name, made]) => [name, personOf(server.url, made)] as const);
  return { ...server, ...(Object.fromEntries(persons) as Record<Name, Person>) };
}

export function personOf(url: string, { token, token_id }: { token: string; token_id: string }): Person {
  const headers = { authorization: `Bearer ${token}` };
  const send: Person["send"] = async (method, path, body, more = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }), ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
    return {
      status: answer.status,
      headers: answer.headers,
      body: (isJson && text !== "" ? JSON.parse(text) : text) as Json,
    };
  };
  return {
    ...{ token, token_id, headers, send },
    get: (path) => send("GET", path),
    post: (path, body = {}, more) => send("POST", path, body, more),
  };
}
