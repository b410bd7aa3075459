import { request } from "node:http";

export interface Raw {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** A request with headers that `fetch` would not send. */
export function raw(
  { url }: { url: string },
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
