import { serve } from "@hono/node-server";
import type { Hono } from "hono";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import type { Limits } from "./guards/limits.ts";
import { optionsOf, refuseBroken } from "./guards/broken-requests.ts";
import { refuseNoHost } from "./guards/origin.ts";
import type { Sockets } from "./sockets.ts";
import { StartError } from "./start-error.ts";

/** A server that listens. */
export interface Listening {
  url: string;
  /** Stops taking requests and waits for those under way, at most `ms` milliseconds. */
  close: (ms: number) => Promise<void>;
}

/** Listens on a port, for requests and for those that become sockets; 0 takes a free one. @throws {StartError} `port_in_use`, `bad_address` */
export function listen(
  app: Hono,
  { host, port, sockets, limits }: { host: string; port: number; sockets: Sockets; limits: Limits },
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const serverOptions = optionsOf(limits);
    const server = serve(
      { fetch: app.fetch, hostname: host, port, serverOptions, createServer: guarded },
      (address: AddressInfo) => {
        resolve({ url: urlOf(host, address.port), close: (ms) => close(server, sockets, ms) });
      },
    ) as Server;
    server.on("clientError", refuseBroken);
    sockets.serve(app, server);
    server.once("error", (cause: NodeJS.ErrnoException) => reject(startError(cause, host, port)));
  });
}

/** A server that answers requests with no readable `Host` itself: as text, they would get no problem document. */
const guarded = ((options: ServerOptions, listener: RequestListener) =>
  createServer(options, (request, response) => {
    if (!refuseNoHost(request, response)) listener(request, response);
  })) as typeof createServer;

export function urlOf(host: string, port: number): string {
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}

function close(server: Server, sockets: Sockets, ms: number): Promise<void> {
  return new Promise((resolve) => {
    sockets.end();
    const timer = setTimeout(() => {
      sockets.cut();
      server.closeAllConnections();
    }, ms);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function startError(cause: NodeJS.ErrnoException, host: string, port: number): StartError {
  if (cause.code === "EADDRINUSE")
    return new StartError(
      "port_in_use",
      `Port ${port} of ${host} is taken. Stop what uses it, or give another "port".`,
      {
        cause,
      },
    );
  return new StartError("bad_address", `The server cannot listen on ${host}:${port}: ${cause.message}.`, {
    cause,
  });
}
