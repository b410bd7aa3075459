import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Approval } from "../../src/ledger/index.ts";

/** A notice as somebody received it. */
export interface Received {
  id: string;
  /** In seconds since 1970. */
  timestamp: number;
  signature: string | undefined;
  /** As it came over the wire. */
  text: string;
  type: string;
  at: string;
  /** The approval that it is about, or those of a digest. */
  approvals: { approval: Approval; link: string }[];
  data: Record<string, unknown>;
}

export interface Receiver {
  received: Received[];
  port: number;
  url: string;
  types(): string[];
}

/** Somebody who is told of approvals, and answers as `answer` says: 200 by default. */
export async function receiver(
  answer: (response: ServerResponse, notice: Received, count: number) => void = (r) => void r.end(),
  port = 0,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const notice = read(request, text);
      received.push(notice);
      answer(response, notice, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port: where } = server.address() as AddressInfo;
  return {
    ...{ received, port: where, url: `http://127.0.0.1:${where}/hook` },
    types: () => received.map(({ type }) => type),
  };
}

function read({ headers }: IncomingMessage, text: string): Received {
  const body = JSON.parse(text) as { type: string; timestamp: string; data: Record<string, unknown> };
  const { data, type, timestamp: at } = body;
  return {
    id: String(headers["webhook-id"]),
    timestamp: Number(headers["webhook-timestamp"]),
    signature: headers["webhook-signature"]?.toString(),
    ...{ text, type, at, data },
    approvals: (data["approvals"] ?? [data]) as Received["approvals"],
  };
}

/** The signature that a notice must have, made from what came and the key alone. */
export function signatureFor({ id, timestamp, text }: Received, key: Buffer): string {
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${text}`).digest("base64")}`;
}
