import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the stub has seen. */
export interface Seen {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage["headers"];
  body: unknown;
}

/** What the stub answers: JSON of a status, or a text that is no JSON. */
export type Answer = { status?: number; json: unknown } | { status?: number; text: string };

export interface Stub {
  url: string;
  seen: Seen[];
  close(): Promise<void>;
}

/** A server of a few lines that answers as a test says and keeps what it was asked. */
export async function startStub(answer: (seen: Seen) => Answer): Promise<Stub> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body };
      seen.push(one);
      const given = answer(one);
      const isJson = "json" in given;
      response.writeHead(given.status ?? 200, { "content-type": isJson ? "application/json" : "text/plain" });
      response.end(isJson ? JSON.stringify(given.json) : given.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}
