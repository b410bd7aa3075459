/** One event of a stream, its data read. */
export interface SseEvent {
  event: string;
  id: string | undefined;
  data: unknown;
}

/** A stream that is open. */
export interface OpenStream {
  response: Response;
  events: SseEvent[];
  comments: string[];
  /** Resolves when the server has ended it. */
  ended: Promise<void>;
  close: () => void;
}

/** Opens a stream and collects what comes. */
export async function openStream(url: string, init: RequestInit = {}): Promise<OpenStream> {
  const controller = new AbortController();
  const response = await fetch(url, { ...init, signal: controller.signal });
  const events: SseEvent[] = [];
  const comments: string[] = [];
  const ended = collect(response, events, comments).catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
  });
  return { response, events, comments, ended, close: () => controller.abort() };
}

/** Runs and reads the stream to its end. */
export async function streamRun(url: string, path: string, body: unknown): Promise<SseEvent[]> {
  const headers = { "content-type": "application/json" };
  const stream = await openStream(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  await stream.ended;
  return stream.events;
}

async function collect(response: Response, events: SseEvent[], comments: string[]): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.startsWith(":")) comments.push(block);
      else events.push(readBlock(block));
    }
  }
}

function readBlock(block: string): SseEvent {
  const field = (name: string): string | undefined =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { event: field("event") ?? "message", id: field("id"), data: JSON.parse(field("data") ?? "null") };
}
