import { describe, expect, it } from "vitest";
import { StreamMask } from "../../src/server/masking/stream-mask.ts";
import { ThreadMask } from "../../src/server/masking/thread-mask.ts";
import { Telling, number, tell } from "../../src/server/protocol/event.ts";
import { Run, type StreamEvent } from "../../src/server/runs/run.ts";

const SECRET = "hunter2-hunter2";
const CALL = { name: "login", args: { user: "ada", password: SECRET } };

function begun(): { run: Run; mask: ThreadMask } {
  const run = new Run("t");
  const mask = new ThreadMask();
  mask.add(["**.password"]);
  run.hide(mask);
  return { run, mask };
}
const piece = (content: string, id = "m") => [{ type: "AIMessageChunk", id, content }, {}];

async function read(run: Run, after?: string): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  const leave = new AbortController();
  for await (const event of run.read(leave.signal, after)) {
    events.push(event);
    if (event.event === "end") leave.abort();
  }
  return events;
}
function textOf(events: readonly StreamEvent[], id = "m"): string {
  return events
    .filter(({ event }) => event === "messages")
    .map(({ data }) => (JSON.parse(data) as ReturnType<typeof piece>)[0] as { id: string; content: string })
    .map((message) => (message.id === id ? message.content : ""))
    .join("");
}

describe("the stream of a run that is read again", () => {
  it("hides what became known after it was told, also where pieces have cut it in two", async () => {
    const { run } = begun();
    run.push("values", { messages: [{ type: "human", content: `I am ${SECRET}` }] });
    for (const text of ["It is hun", "ter2-hun", "ter2. Any hun"]) run.push("messages", piece(text));
    run.push("updates", { agent: { messages: [{ id: "m", tool_calls: [CALL] }] } });
    run.push("end", null);
    const events = await read(run);
    expect(textOf(events)).toBe("It is ***. Any hun");
    expect(JSON.stringify(events)).not.toContain("ter2-");
    expect(events.map(({ id }) => id)).toEqual(["0-0", "0-1", "0-2", "0-3", "0-4", "0-5"]);
    expect(await read(run, "0-2")).toEqual(events.slice(3));
  });

  it("hides a secret that became known between its pieces", async () => {
    const { run, mask } = begun();
    run.push("messages", piece("hunter2-"));
    mask.show(CALL);
    run.push("messages", piece("hun"));
    // Read meanwhile, and then gone on with.
    const leave = new AbortController();
    for await (const _ of run.read(leave.signal)) leave.abort();
    run.push("messages", piece("ter2!"));
    run.push("messages", piece("hun", "other"));
    run.push("end", null);
    const events = await read(run);
    expect(textOf(events)).toBe("***!");
    expect(textOf(events, "other")).toBe("hun");
  });

  it("is as it was told where nothing more is known", async () => {
    const { run, mask } = begun();
    mask.show(CALL);
    for (const text of ["It is hun", "ter2-hunter2", " or hun"]) run.push("messages", piece(text));
    run.push("values", { messages: [{ id: "m", content: `It is ${SECRET} or hun` }] });
    run.push("end", null);
    expect(textOf(await read(run))).toBe("It is *** or hun");
    expect(await read(run)).toEqual(await read(run));
  });

  it("hides what only a later call masks", async () => {
    const run = new Run("t");
    const mask = new ThreadMask();
    run.hide(mask);
    run.push("values", CALL);
    run.push("end", null);
    expect((await read(run))[0]!.data).toContain(SECRET);
    mask.add(["password"]);
    expect((await read(run))[0]!.data).not.toContain(SECRET);
  });

  it("is read by traces of models the same way", async () => {
    const { run, mask } = begun();
    const stream = new StreamMask(mask);
    const trace = (content: string) => {
      const data = { chunk: { type: "AIMessageChunk", content } };
      return { event: "on_chat_model_stream", run_id: "r", data };
    };
    for (const text of ["hunter2-", "hunter2"]) run.push("events", trace(text));
    stream.show("values", CALL);
    run.push("end", null);
    expect((await read(run)).map(({ data }) => data).join("")).not.toContain("hunter2");
  });
});

describe("the events of a thread that are told again", () => {
  it("hide what became known since, in blocks that come piece by piece as well", () => {
    const { mask } = begun();
    const telling = new Telling(mask);
    const delta = (text: string) => ({
      ...{ method: "messages", namespace: ["agent"], node: "agent" },
      data: { event: "content-block-delta", index: 0, delta: { type: "text-delta", text } },
    });
    const told = ["It is hunter2-", "hunter2", "."].map((text) => tell(delta(text), telling));
    told.push(tell({ method: "values", data: { said: `It is ${SECRET}` } }, telling));
    const entries = told.map((one, at) => number(one, at, String(at)));
    expect(entries.map(({ json }) => json).join("")).toContain("hunter2");
    mask.show(CALL);
    const again = entries.map(({ json }) => JSON.parse(json) as { params: { data: unknown } });
    expect(JSON.stringify(again)).not.toContain("hunter2");
    expect(again.at(-1)!.params.data).toEqual({ said: "It is ***" });
    const text = again
      .slice(0, 3)
      .map(({ params }) => (params.data as ReturnType<typeof delta>["data"]).delta.text);
    expect(text.join("")).toBe("It is ***.");
  });
});
