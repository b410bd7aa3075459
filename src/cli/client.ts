import { serverAddress } from "./address.ts";
import { CliError, type Problem } from "./cli-error.ts";
import { readEvents, type ServerSentEvent } from "./sse.ts";

interface Request {
  method?: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Speaks HTTP to one server. Every refusal is thrown as a {@link CliError} that holds the server's problem. */
export class Client {
  readonly url: string;
  readonly #token: string | undefined;

  constructor(url: URL = serverAddress(), token = process.env["COUNTERSIGN_TOKEN"]) {
    this.url = url.href.replace(/\/$/, "");
    this.#token = token === "" ? undefined : token;
  }

  /** Sends a request and gives back the answer's JSON; undefined for an answer without a body. */
  async send<T>(path: string, request: Request = {}): Promise<T> {
    const response = await this.#fetch(path, request);
    const text = await response.text();
    return (text === "" ? undefined : parseAnswer(text, this.url)) as T;
  }

  /** Opens a stream of server-sent events. Resolves when the server has taken the request. */
  async open(path: string, request: Request = {}): Promise<AsyncGenerator<ServerSentEvent>> {
    const headers = { accept: "text/event-stream", ...request.headers };
    const response = await this.#fetch(path, { ...request, headers });
    return response.body === null ? noEvents() : readEvents(response.body);
  }

  /** Whether a server answers here. @throws {CliError} `not_countersign` when something else does. */
  async isUp(): Promise<boolean> {
    try {
      await this.send("/ok", { signal: AbortSignal.timeout(5_000) });
      return true;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.problem.code === "no_server") return false;
      if (error.problem.code !== "http_error" && error.problem.code !== "bad_answer") throw error;
      const detail = `Something that is no Countersign server answers at ${this.url}. Stop it, or set COUNTERSIGN_PORT to a free port.`;
      throw new CliError({ title: "Not Countersign", code: "not_countersign", detail }, { cause: error });
    }
  }

  async #fetch(path: string, { method = "GET", query = {}, body, headers = {}, signal }: Request) {
    const url = new URL(this.url + path);
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const init: RequestInit = {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    const response = await fetch(url, init).catch((error: unknown) => {
      throw signal?.aborted === true && signal.reason === error ? error : unreachable(this.url, error);
    });
    if (!response.ok) throw await refusal(response, this.url);
    return response;
  }
}

async function* noEvents(): AsyncGenerator<ServerSentEvent> {
  // A body that is missing holds no events.
}

function parseAnswer(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = `The server at ${url} answered with something that is no JSON. Look whether COUNTERSIGN_URL is right.`;
    throw new CliError({ title: "Bad answer", code: "bad_answer", detail }, { cause });
  }
}

function unreachable(url: string, cause: unknown): CliError {
  const why = whyOf(cause);
  const detail =
    why === "ECONNREFUSED"
      ? `No server answers at ${url}. Start one with "countersign serve", or set COUNTERSIGN_URL.`
      : `The server at ${url} cannot be reached${why === undefined ? "" : ` (${why})`}. Look whether it runs and whether COUNTERSIGN_URL is right.`;
  const code = why === "ECONNREFUSED" ? "no_server" : "unreachable";
  return new CliError({ title: "No server", code, detail }, { cause });
}

function whyOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errors } = error as Error & { code?: unknown; errors?: unknown[] };
  if (typeof code === "string") return code;
  const deeper = whyOf(error.cause) ?? whyOf(errors?.[0]);
  // What fetch itself refuses, such as a port that browsers block, has words and no code.
  return deeper ?? (error.cause instanceof Error ? error.cause.message : undefined);
}

async function refusal(response: Response, url: string): Promise<CliError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const problem = readProblem(text);
  if (status === 401) return noToken(url, problem);
  if (problem !== undefined) return new CliError({ status, ...problem });
  const detail = `The server at ${url} answered ${status} and did not say why.`;
  return new CliError({ title: "Refused", status, code: "http_error", detail });
}

function noToken(url: string, problem: Problem | undefined): CliError {
  const detail = process.env["COUNTERSIGN_TOKEN"]
    ? `The server at ${url} does not take the token in COUNTERSIGN_TOKEN: it is unknown, or has expired or was revoked. Set a good one.`
    : `The server at ${url} wants a token. Set COUNTERSIGN_TOKEN; "countersign token create" makes one.`;
  return new CliError({ ...problem, title: "No token", status: 401, code: "unauthorized", detail });
}

function readProblem(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("code" in value) || typeof value.code !== "string") {
      return undefined;
    }
    const { code, detail, title } = value as { code: string; detail?: unknown; title?: unknown };
    const words = [detail, title, code].find((one) => typeof one === "string" && one !== "");
    return { ...value, code, detail: String(words) };
  } catch {
    return undefined;
  }
}
