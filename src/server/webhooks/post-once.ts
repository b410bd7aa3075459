import { lookup, type LookupAddress } from "node:dns";
import { request as requestHttp, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { plainName, type MayReach } from "./allowed-hosts.ts";

/** How long one delivery may take, and how much of an answer is read; in milliseconds and bytes. */
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 64 * 1_024;

/** Finds the addresses of a host. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export interface Posting {
  url: string;
  body: string;
  headers: Record<string, string>;
  mayReach: MayReach;
  /** Default: as the system does it. */
  resolve?: Resolve;
  /** Gives up when it aborts. */
  signal?: AbortSignal;
}

/**
 * Posts once, on a connection of its own, to an address that may be reached: the very one that is connected to is
 * looked at, so a name that leads elsewhere a moment later gains nothing. Redirects are not followed.
 *
 * @returns what went wrong, or `null` when the answer was of the kind 2xx.
 */
export async function postOnce({ url, body, headers, ...options }: Posting): Promise<string | null> {
  const { mayReach, resolve = systemResolve, signal } = options;
  const { hostname, protocol } = new URL(url);
  const name = plainName(hostname);
  if (isIP(name) !== 0 && !mayReach(hostname, name)) return notReachable(name);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const settings: RequestOptions = {
    ...{ method: "POST", agent: false, lookup: guarded(resolve, hostname, mayReach) },
    headers: { ...headers, "content-length": String(Buffer.byteLength(body)), connection: "close" },
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  };
  return new Promise((done) => {
    const request = (protocol === "https:" ? requestHttps : requestHttp)(url, settings, (response) => {
      const { statusCode = 0 } = response;
      const end = (): void => {
        response.destroy();
        done(statusCode >= 200 && statusCode < 300 ? null : `it answered ${statusCode}`);
      };
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) end();
      });
      // What it says does not matter, so an answer that breaks off is an answer.
      response.on("end", end).on("error", end);
    });
    request.on("error", (error) => done(timeout.aborted ? "it did not answer in time" : error.message));
    request.end(body);
  });
}

/** Looks a host up and gives only those of its addresses that may be reached. */
function guarded(resolve: Resolve, hostname: string, mayReach: MayReach): LookupFunction {
  return (name, { all }, done) => {
    resolve(name).then(
      (found) => {
        const [first, ...rest] = found.filter(({ address }) => mayReach(hostname, address));
        if (first === undefined) done(new Error(notReachable(found[0]?.address ?? name)), "", 0);
        else if (all) done(null, [first, ...rest]);
        else done(null, first.address, first.family);
      },
      (error: unknown) => done(error as NodeJS.ErrnoException, "", 0),
    );
  };
}

function systemResolve(hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(found);
    });
  });
}

function notReachable(address: string): string {
  return `${address} is not a public address, and its host is not among those that webhooks may go to (--allow-webhook-host)`;
}
