import type { ServerOptions } from "node:http";
import type { Duplex } from "node:stream";
import { problemOf, ServerError } from "../problem.ts";
import type { Limits } from "./limits.ts";

/** How often connections are looked at whose requests take too long, in milliseconds. */
const LOOK_MS = 1_000;

/** How Node.js holds the limits of what comes before there is a request. */
export function optionsOf({ headerBytes, headersMs, requestMs }: Limits): ServerOptions {
  return {
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: Math.max(headersMs, requestMs),
    connectionsCheckingInterval: LOOK_MS,
  };
}

/** Answers what is no request, is too long in its headers, or takes too long to come; the connection ends with it. */
export function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const found = problemOf(refusalOf(error.code));
  const body = JSON.stringify(found);
  const head = [
    `HTTP/1.1 ${found.status} ${found.title}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function refusalOf(code: string | undefined): ServerError {
  if (code === "HPE_HEADER_OVERFLOW")
    return new ServerError("headers_too_large", "The headers and the address of this request are too long.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new ServerError("request_timeout", "The request took too long to come.");
  return new ServerError("invalid_request", "This is no HTTP request that can be read.");
}
