import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server answers next. `args` goes out as it is, so it may be no JSON. */
export interface Answer {
  content?: string;
  calls?: { id: string; name: string; args: string }[];
  /** An HTTP status instead of an answer. */
  status?: number;
  /** Cut the arguments of the last call in half and say that the limit was reached. */
  cut?: boolean;
}

export interface ChatRequest {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string }[];
  stream?: boolean;
  tools?: { function: { name: string } }[];
}

export interface OpenAiServer {
  baseUrl: string;
  requests: ChatRequest[];
  authorizations: (string | undefined)[];
  stop(): Promise<void>;
}

/** A small server on loopback that speaks OpenAI's chat completions, streamed or not, and answers from a list. */
export async function startOpenAiServer(answers: Answer[]): Promise<OpenAiServer> {
  const left = [...answers];
  const requests: ChatRequest[] = [];
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const chat = JSON.parse(body) as ChatRequest;
      requests.push(chat);
      authorizations.push(request.headers.authorization);
      const answer = left.shift() ?? { status: 400 };
      if (answer.status !== undefined) refuse(response, answer.status);
      else if (chat.stream === true) stream(response, answer);
      else whole(response, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    authorizations,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message: `refused with ${status}`, type: "test", code: null } }));
}

const HEAD = { id: "chatcmpl-1", created: 1, model: "test-model" };

function whole(response: ServerResponse, answer: Answer): void {
  const message = {
    role: "assistant",
    content: answer.content ?? null,
    ...(answer.calls === undefined ? {} : { tool_calls: answer.calls.map(wireCall) }),
  };
  const finish_reason = answer.calls === undefined ? "stop" : "tool_calls";
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      ...HEAD,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    }),
  );
}

function stream(response: ServerResponse, answer: Answer): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish_reason: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason }];
    response.write(`data: ${JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices })}\n\n`);
  };
  send({ role: "assistant", content: "" });
  for (const word of (answer.content ?? "").split(/(?<= )/u)) if (word !== "") send({ content: word });
  const calls = answer.calls ?? [];
  for (const [index, call] of calls.entries()) {
    const middle = Math.ceil(call.args.length / 2);
    const { id, type, function: fn } = wireCall(call);
    send({ tool_calls: [{ index, id, type, function: { ...fn, arguments: call.args.slice(0, middle) } }] });
    if (answer.cut === true && index === calls.length - 1) continue;
    send({ tool_calls: [{ index, function: { arguments: call.args.slice(middle) } }] });
  }
  send({}, answer.cut === true ? "length" : calls.length > 0 ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}

function wireCall(call: { id: string; name: string; args: string }) {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.args } };
}
