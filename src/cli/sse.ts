/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  event: string;
  data: string;
  id: string | undefined;
}

/** Reads a body of server-sent events; comments are left out. Ends when the body ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the very end may be half of a line break, so it waits for the next chunk.
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r(?!$)/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== undefined) yield event;
    }
  }
}

function parseBlock(block: string): ServerSentEvent | undefined {
  const data: string[] = [];
  let event = "message";
  let id: string | undefined;
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    if (field === "event") event = value;
    if (field === "id") id = value;
  }
  return data.length === 0 && event === "message" ? undefined : { event, data: data.join("\n"), id };
}
