import { describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { bench, listOf, remove, until, type Json } from "./bench.ts";
import { openStream, type SseEvent } from "./sse.ts";

const steps = [remove("a"), { content: "done" }];
const types = (events: SseEvent[]): string[] => events.map(({ event }) => event);

describe("live events", () => {
  it("tell what happens, in order, with the ledger's numbers", async () => {
    const { url, begin, pending, post, get } = await bench(steps);
    const stream = await openStream(`${url}/events`);
    expect(stream.response.headers.get("content-type")).toContain("text/event-stream");
    const { thread_id } = await begin();
    const [approval] = await pending();
    await post(`/approvals/${approval!.approval_id}/shown`);
    await post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    await until(() => types(stream.events).filter((type) => type === "run_stopped").length === 2);
    stream.close();
    expect(types(stream.events)).toEqual([
      ...["run_started", "tool_call_started", "approval_requested", "run_stopped"],
      ...["approval_shown", "approval_resolved", "run_started", "tool_result", "run_stopped"],
    ]);
    const asked = stream.events[2]?.data as Json;
    expect(asked).toMatchObject({ v: 1, thread_id, approval_id: approval!.approval_id, tool: "delete_file" });
    const stored = listOf((await get("/audit")).body["events"]).map((one) => one["seq"]);
    for (const { id, data } of stream.events) {
      expect(Number(id)).toBe((data as Json)["seq"]);
      expect(stored).toContain((data as Json)["seq"]);
    }
  });

  it("go on where a stream broke", async () => {
    const { url, begin, pending, post } = await bench(steps);
    const first = await openStream(`${url}/events`);
    await begin();
    await until(() => types(first.events).includes("run_stopped"));
    first.close();
    const [approval] = await pending();
    await post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    const second = await openStream(`${url}/events`, {
      headers: { "last-event-id": first.events.at(-1)!.id! },
    });
    await until(() => types(second.events).includes("run_stopped"));
    second.close();
    expect(types(second.events)).toEqual(["approval_resolved", "run_started", "tool_result", "run_stopped"]);
    const bad = await openStream(`${url}/events`, { headers: { "last-event-id": "yesterday" } });
    expect(bad.response.status).toBe(422);
  });

  it("tell of one thread only when asked to", async () => {
    const { url, begin, post } = await bench(steps);
    await post("/threads", { thread_id: "mine" });
    const stream = await openStream(`${url}/events?thread_id=mine`);
    const { thread_id } = await begin();
    await post("/threads/mine/runs/wait", {
      assistant_id: "agent",
      input: { messages: [{ role: "user", content: "go" }] },
    });
    await until(() => types(stream.events).includes("run_stopped"));
    stream.close();
    expect(stream.events.map(({ data }) => (data as Json)["thread_id"])).not.toContain(thread_id);
  });

  it("tell what another process wrote", async () => {
    const { url, store, begin, pending } = await bench(steps);
    await begin();
    const [approval] = await pending();
    const stream = await openStream(`${url}/events`);
    const other = await openLedger(store);
    const { openDesk } = await import("../../src/desk/index.ts");
    await openDesk(other).shown(approval!.approval_id);
    await other.close();
    await until(() => types(stream.events).includes("approval_shown"));
    stream.close();
  });

  it("leave no listener behind", async () => {
    const { url, server, begin } = await bench(steps);
    let listening = 0;
    const subscribe = server.ledger.subscribe.bind(server.ledger);
    server.ledger.subscribe = (listener) => {
      listening += 1;
      const stop = subscribe(listener);
      return () => {
        listening -= 1;
        stop();
      };
    };
    const stream = await openStream(`${url}/events`);
    await until(() => listening === 1);
    stream.close();
    await begin();
    await until(() => listening === 0);
  });

  it("end when the server stops", async () => {
    const { url, server } = await bench(steps);
    const stream = await openStream(`${url}/events`);
    await server.stop();
    await stream.ended;
  });
});
