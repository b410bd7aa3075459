import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openTraces } from "../../src/server/observing/traces.ts";
import { bench, remove, resumeOf, runOf, textOf } from "./bench.ts";

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue: string } }[];
}

interface Export {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

/** A collector of OpenTelemetry: what it was sent, and how. */
async function collector() {
  const spans: Span[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      requests.push(`${request.method} ${request.url} ${request.headers["content-type"]}`);
      for (const { scopeSpans } of (JSON.parse(body) as Export).resourceSpans)
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, requests };
}

const closing: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) close();
});

const attributesOf = ({ attributes }: Span): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

describe("traces", () => {
  it("are sent to the collector that the environment names: runs, and within them calls and waiting", async () => {
    const { url, spans, requests } = await collector();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", url);
    const server = await bench([remove("secret"), { content: "done" }]);
    const { body: thread } = await server.post("/threads", {});
    const thread_id = textOf(thread["thread_id"]);
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    await server.post(`/threads/${thread_id}/runs/wait`, runOf("secret"), { traceparent });
    const [approval] = await server.pending();
    await server.post(`/threads/${thread_id}/runs/wait`, resumeOf({ type: "approve" }));
    await server.server.stop();
    expect(requests[0]).toBe("POST /v1/traces application/json");
    const [first, second] = spans.filter(({ name }) => name === "run");
    expect(first).toMatchObject({ traceId, parentSpanId: "b7ad6b7169203331" });
    expect(attributesOf(first!)).toEqual({
      "countersign.thread_id": thread_id,
      "countersign.run_id": approval!.run_id,
      ...{ graph_id: "agent", status: "interrupted" },
    });
    expect(second!.traceId).not.toBe(traceId);
    // Both began in the first run, and ended long after it.
    const within = { traceId, parentSpanId: first!.spanId };
    const wait = spans.find(({ name }) => name === "approval wait");
    expect(wait).toMatchObject(within);
    expect(attributesOf(wait!)).toMatchObject({
      "countersign.approval_id": approval!.approval_id,
      ...{ tool: "delete_file", status: "approved" },
    });
    expect(BigInt(wait!.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(wait!.startTimeUnixNano));
    const call = spans.find(({ name }) => name === "tool call");
    expect(call).toMatchObject(within);
    expect(attributesOf(call!)).toMatchObject({ tool: "delete_file", tier: "approve", outcome: "done" });
    expect(JSON.stringify(spans)).not.toContain("secret");
  });

  it("disturb nothing when nobody collects them, and hold up the end for a second at most", async () => {
    const { url } = await collector();
    for (const close of closing.splice(0)) close();
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", url);
    const server = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await server.begin();
    await server.post(`/threads/${thread_id}/runs/wait`, resumeOf({ type: "approve" }));
    expect(server.effects.deleted).toEqual(["a"]);
    const begin = performance.now();
    await server.server.stop();
    expect(performance.now() - begin).toBeLessThan(4_000);
    expect(server.errors).toEqual([]);
  });

  it("are not there without a collector", async () => {
    expect(await openTraces("1", {})).toBeNull();
    expect(await openTraces("1", { OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toBeNull();
    const off = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" };
    expect(await openTraces("1", off)).toBeNull();
  });
});
