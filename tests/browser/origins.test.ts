import { describe, expect, it } from "vitest";
import { listOf, remove } from "../server/bench.ts";
import { isBrowserMissing } from "./browser.ts";
import { pages } from "./opened.ts";

const steps = [remove("a"), { content: "It is done." }];

describe.skipIf(isBrowserMissing())("in a browser", () => {
  const { origins, open, opened, paused } = pages();

  it("a page of an origin that is not allowed begins nothing, over either protocol", async () => {
    const { server, effects } = await opened(steps);
    for (const over of ["runs", "sse", "websocket"] as const) {
      const stranger = await open(origins.other, server, over);
      await stranger.send("Delete a");
      await stranger.alert.waitFor();
      await stranger.page.close();
    }
    expect(listOf((await server.post("/threads/search", {})).body)).toEqual([]);
    expect(effects.deleted).toEqual([]);
  });

  it("a page of an origin that is not allowed decides nothing, by no kind of request", async () => {
    const { server, effects, screen } = await paused(steps);
    const thread_id = screen.threadId();
    const [approval] = await server.pending();
    const stranger = await open(origins.other, server);
    const failures: string[] = [];
    stranger.page.on("requestfailed", (request) => failures.push(request.failure()?.errorText ?? ""));
    const outcomes = await stranger.page.evaluate(
      async ([url, thread_id, approval_id]) => {
        const resume = JSON.stringify({ assistant_id: "agent", command: { resume: { type: "approve" } } });
        const decision = JSON.stringify({ type: "approve" });
        const json = { "content-type": "application/json" };
        const asked: [string, RequestInit][] = [
          [`/threads/${thread_id}/runs/wait`, { method: "POST", body: resume, headers: json }],
          [`/approvals/${approval_id}/decision`, { method: "POST", body: decision, headers: json }],
          // These are sent without asking first, as a form would.
          [`/approvals/${approval_id}/decision`, { method: "POST", body: decision, mode: "no-cors" }],
          [`/threads/${thread_id}/runs/wait`, { method: "POST", body: resume, mode: "no-cors" }],
          [`/threads/${thread_id}/state`, {}],
          [`/approvals/${approval_id}`, {}],
        ];
        // No browser asks a server first whether a page may open a web socket there.
        const socket = new WebSocket(`${url.replace("http", "ws")}/threads/${thread_id}/stream/events`);
        const socketOpened = new Promise<string>((resolve) => {
          socket.onopen = () => resolve("open");
          socket.onerror = () => resolve("refused");
        });
        const sent = asked.map(async ([path, init]) => {
          try {
            const { type, status } = await fetch(`${url}${path}`, init);
            return `${type} ${status}`;
          } catch (error) {
            return (error as Error).name;
          }
        });
        return Promise.all([...sent, socketOpened]);
      },
      [server.url, thread_id, approval!.approval_id] as const,
    );
    const closed = "TypeError";
    expect(outcomes).toEqual([closed, closed, closed, closed, closed, closed, "refused"]);
    // Those were answered, and their answers are kept from the page: not even that there is one is told to it.
    const blocked = failures.filter((text) => text.includes("ERR_BLOCKED_BY_RESPONSE"));
    expect(blocked).toHaveLength(2);
    expect(await server.pending()).toMatchObject([{ approval_id: approval!.approval_id, status: "pending" }]);
    expect(effects.deleted).toEqual([]);
  });

  it("a page of an allowed origin reads where its run is, and how many there are of what it lists", async () => {
    const { server, screen } = await opened(steps);
    const [streamed, searched] = await screen.page.evaluate(async (url) => {
      const post = (path: string, body: unknown) =>
        fetch(`${url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-api-key": "", authorization: "" },
          body: JSON.stringify(body),
        });
      const { thread_id } = (await (await post("/threads", {})).json()) as { thread_id: string };
      const input = { messages: [{ role: "user", content: "Delete a" }] };
      const run = await post(`/threads/${thread_id}/runs/stream`, { assistant_id: "agent", input });
      await run.text();
      const found = await post("/threads/search", {});
      return [run, found].map(({ headers }) => Object.fromEntries(headers.entries()));
    }, server.url);
    const place = streamed!["content-location"]!;
    expect(place).toMatch(/^\/threads\/.+\/runs\/.+$/);
    expect(streamed!["location"]).toBe(`${place}/stream`);
    expect(searched!["x-pagination-total"]).toBe("1");
  });
});
