import { createNodeWebSocket, type NodeWebSocket } from "@hono/node-ws";
import type { Hono } from "hono";
import type { UpgradeWebSocket } from "hono/ws";
import type { Server } from "node:http";

/** Why a socket is closed when the server stops. */
const GOING_AWAY = 1001;

/** What is used of the server of `ws`, which comes without types. */
interface SocketServer {
  options: { maxPayload?: number };
  clients: Iterable<{ close(code: number, reason: string): void; terminate(): void }>;
}

/** The web sockets of one server. A request for one passes the app's checks before it is granted. */
export class Sockets {
  readonly #node: NodeWebSocket;
  #app: Hono | null = null;

  /** @param bodyBytes the largest message that a client may send: as large as a body. */
  constructor({ bodyBytes }: { bodyBytes: number }) {
    // The app has routes that open sockets, so these are there before it.
    const app = { request: (...given: Parameters<Hono["request"]>) => this.#app?.request(...given) };
    this.#node = createNodeWebSocket({ app: app as unknown as Hono });
    const { options } = this.#wss;
    options.maxPayload = bodyBytes;
  }

  get #wss(): SocketServer {
    return this.#node.wss as SocketServer;
  }

  get upgrade(): UpgradeWebSocket {
    return this.#node.upgradeWebSocket as UpgradeWebSocket;
  }

  /** Lets a listening server open sockets. */
  serve(app: Hono, server: Server): void {
    this.#app = app;
    this.#node.injectWebSocket(server);
  }

  /** Asks all clients to leave. */
  end(): void {
    for (const client of this.#wss.clients) client.close(GOING_AWAY, "The server stops.");
  }

  /** Cuts off the clients that have not left by themselves. */
  cut(): void {
    for (const client of this.#wss.clients) client.terminate();
  }
}
