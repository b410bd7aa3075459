import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { once } from "node:events";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { withRisk } from "../graph/with-risk.ts";
import { argument, signalOf } from "./argument.ts";
import { clip, isBinary } from "./clip.ts";
import { isNear, lookupElsewhere, NearError } from "./this-machine.ts";

export interface HttpLimits {
  timeoutMs: number;
  maxBytes: number;
  /** Hosts of this machine that requests may go to all the same, as `127.0.0.1:8080`. */
  localTargets: readonly string[];
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

const HttpArgs = z.object({
  method: z.enum(METHODS).default("GET").describe("The HTTP method."),
  url: z.string().min(1).max(8000).describe("The whole address, starting with http:// or https://."),
  headers: z.record(z.string(), z.string()).optional().describe("Request headers."),
  body: z.string().optional().describe("The request body, as text. Not for GET and HEAD."),
});
type HttpArgs = z.infer<typeof HttpArgs>;

/**
 * `http_request`: one request, and what the server answered to exactly this one. A redirect is returned, not followed.
 *
 * Every status is a result; a request that got no answer is an error. Nothing is sent to this machine, by whichever
 * name: the server listens there, and it may take whoever reaches it for a person.
 */
export function httpRequestTool(limits: HttpLimits) {
  return withRisk(
    tool((args, config) => request(args, limits, signalOf(config)), {
      name: "http_request",
      description: "Send one HTTP request. Redirects are reported and not followed.",
      schema: HttpArgs,
    }),
    ({ method }: Record<string, unknown>) =>
      method === undefined || method === "GET" || method === "HEAD" ? "suggest" : "approve",
    {
      timeoutMs: limits.timeoutMs + 5000,
      describe: (args) => `Sends ${argument(args, "method", "GET")} to ${argument(args, "url")}.`,
    },
  );
}

async function request(args: HttpArgs, limits: HttpLimits, signal: AbortSignal | undefined): Promise<string> {
  const url = targetOf(args);
  const limit = AbortSignal.timeout(limits.timeoutMs);
  const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    const response = await send(url, args, limits, either);
    return await report(response, url, limits.maxBytes);
  } catch (error) {
    if (error instanceof NearError) throw error;
    if (signal?.aborted === true) {
      throw new Error("The request was stopped because the run was cancelled.", { cause: error });
    }
    if (limit.aborted) {
      const seconds = limits.timeoutMs / 1000;
      throw new Error(`${url.host} did not finish its answer within ${seconds} s.`, { cause: error });
    }
    throw new Error(`The request to ${url.host} failed: ${reasonOf(error)}.`, { cause: error });
  }
}

async function send(
  url: URL,
  { method, headers = {}, body }: HttpArgs,
  { localTargets }: HttpLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isAllowed = localTargets.includes(url.host);
  // A name is looked up by whoever connects; an address is not.
  if (!isAllowed && isNear(url.hostname.replace(/^\[|\]$/gu, ""))) throw new NearError(url.host);
  const sent = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    ...{ method, signal, agent: false },
    headers: { accept: "*/*", "user-agent": "countersign", ...lowercase(headers) },
    ...(isAllowed ? {} : { lookup: lookupElsewhere }),
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

/** What the connection needs to say by itself. */
const OWN_HEADERS = ["connection", "content-length", "expect", "host", "transfer-encoding", "upgrade"];

function lowercase(headers: Record<string, string>): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const own = lower.find(([name]) => OWN_HEADERS.includes(name));
  if (own !== undefined) throw new Error(`"headers" must not hold "${own[0]}"`);
  return Object.fromEntries(lower);
}

function targetOf(args: HttpArgs): URL {
  const url = parseUrl(args.url);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Error(
      `"url" must be an address that starts with http:// or https://; it is ${JSON.stringify(args.url)}.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error('"url" must not hold a user name or password; use the header "authorization".');
  }
  if (args.body !== undefined && (args.method === "GET" || args.method === "HEAD")) {
    throw new Error(`"body" does not go with ${args.method}.`);
  }
  return url;
}

function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

async function report(response: IncomingMessage, url: URL, maxBytes: number): Promise<string> {
  const lines = [`${response.statusCode} ${response.statusMessage}`.trim()];
  const { location, "content-type": type } = response.headers;
  if (location !== undefined)
    lines.push(`redirect, not followed, to: ${parseUrl(location, url)?.href ?? location}`);
  if (type !== undefined) lines.push(`content-type: ${type}`);
  const { bytes, more } = await readUpTo(response, maxBytes);
  if (bytes.byteLength > 0) {
    lines.push("", isBinary(bytes) ? "[binary content, not shown]" : clip(bytes, maxBytes));
  }
  if (more) lines.push(`[cut: only the first ${maxBytes} bytes were read]`);
  return lines.join("\n");
}

async function readUpTo(
  response: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; more: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), more: size > maxBytes };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Several addresses were tried: the first one says enough.
  const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first.message === "" ? first.name : first.message;
}
