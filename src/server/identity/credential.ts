import type { Context } from "hono";
import type { IncomingMessage } from "node:http";
import { ANYBODY, type Principal } from "./principal.ts";

/** What somebody showed, and who they are by it. */
export interface Credential {
  principal: Principal;
  /** The same for all requests that show the same. */
  key: string;
  /** Whether it holds still: it may expire or be revoked while a stream is open. */
  holds: () => Promise<boolean>;
}

const NOTHING: Credential = { principal: ANYBODY, key: "", holds: () => Promise.resolve(true) };
const KEY = "credential";

export function setCredential(c: Context, credential: Credential): void {
  c.set(KEY, credential);
}

export function credentialOf(c: Context): Credential {
  return (c.get(KEY) as Credential | undefined) ?? NOTHING;
}

/** What a request shows, as it was sent: `null` for nothing, and `bad` for what cannot be read as one credential. */
export function shownIn(c: Context): { text: string } | "bad" | null {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  for (const name of ["authorization", "x-api-key"])
    if (timesIn(incoming?.rawHeaders ?? [], name) > 1) return "bad";
  const authorization = c.req.header("authorization");
  const bearer = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? "")?.[1];
  if (bearer !== undefined) return { text: bearer };
  const key = c.req.header("x-api-key")?.trim();
  if (key) return /^[\w.~+/=-]+$/.test(key) ? { text: key } : "bad";
  return authorization === undefined ? null : "bad";
}

function timesIn(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}
