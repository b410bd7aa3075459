import { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { SpanIds, type SpanPlace } from "./span-ids.ts";
import type { Traces } from "./traces.ts";
import type { Happened } from "./watch.ts";

/** How long the end of the process waits for the collector, in milliseconds. */
const FLUSH_MS = 1_000;

/** How many runs are remembered as part of a client's trace. */
const ADOPTED = 10_000;

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

type Attributes = Record<string, string>;

/** Sends spans of runs, calls and waiting for people to an OpenTelemetry collector, each when it has ended. */
export class OtlpTraces implements Traces {
  readonly #provider: NodeTracerProvider;
  readonly #tracer: Tracer;
  readonly #ids = new SpanIds();
  /** What clients began, by run. */
  readonly #adopted = new Map<string, SpanPlace>();
  /** The graphs of the runs that are live. */
  readonly #graphs = new Map<string, string>();

  constructor(version: string) {
    const about = resourceFromAttributes({ "service.name": "countersign", "service.version": version });
    this.#provider = new NodeTracerProvider({
      resource: about.merge(detectResources({ detectors: [envDetector] })),
      idGenerator: this.#ids,
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(), { scheduledDelayMillis: 1_000 })],
    });
    // Not made known to the process: what an application traces by itself is its own matter.
    this.#tracer = this.#provider.getTracer("countersign", version);
  }

  take({ event, at, began, run_id, tier }: Happened): void {
    const { thread_id } = event;
    const from = began ?? at;
    const common = {
      "countersign.thread_id": thread_id,
      ...(run_id !== null && { "countersign.run_id": run_id }),
    };
    switch (event.type) {
      case "run_started":
        if (run_id !== null) this.#graphs.set(run_id, event.data.graph_id ?? "");
        return;
      case "run_stopped":
        if (run_id !== null) this.#endRun(run_id, { ...common, status: event.data.status }, { from, at });
        return;
      case "tool_result": {
        const { tool, outcome, ok } = event.data;
        const attributes = { ...common, tool, outcome, ...(tier !== null && { tier }) };
        return this.#within(run_id, "tool call", attributes, {
          from,
          at,
          isFailed: !ok && outcome === "failed",
        });
      }
      case "approval_resolved": {
        const { approval_id, tool, status, decision } = event.data;
        const ids = { "countersign.approval_id": approval_id };
        const attributes = { ...common, ...ids, tool, status, decided_by: decision.decided_by.kind };
        return this.#within(run_id, "approval wait", attributes, { from, at, isFailed: false });
      }
      default:
        return;
    }
  }

  adopt(run_id: string, traceparent: string): void {
    const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return;
    this.#adopted.set(run_id, {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    });
    for (const oldest of this.#adopted.keys()) {
      if (this.#adopted.size <= ADOPTED) return;
      this.#adopted.delete(oldest);
    }
  }

  async close(): Promise<void> {
    const ended = this.#provider.shutdown().catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, FLUSH_MS)));
    await Promise.race([ended, late]);
    clearTimeout(timer);
  }

  #endRun(run_id: string, attributes: Attributes, { from, at }: { from: number; at: number }): void {
    const graph_id = this.#graphs.get(run_id);
    this.#graphs.delete(run_id);
    const parent = this.#adopted.get(run_id);
    const isFailed = attributes["status"] === "error";
    this.#ids.next = this.#ids.ofRun(run_id);
    this.#emit("run", parent, { ...attributes, ...(graph_id && { graph_id }) }, { from, at, isFailed });
    this.#ids.next = null;
  }

  /** A span inside a run's, also when that one has ended or was of another process. */
  #within(
    run_id: string | null,
    name: string,
    attributes: Attributes,
    times: { from: number; at: number; isFailed: boolean },
  ): void {
    const run = run_id === null ? undefined : this.#ids.ofRun(run_id);
    const adopted = run_id === null ? undefined : this.#adopted.get(run_id);
    this.#emit(
      name,
      run && { ...run, ...(adopted && { ...adopted, spanId: run.spanId }) },
      attributes,
      times,
    );
  }

  #emit(
    name: string,
    parent: SpanPlace | undefined,
    attributes: Attributes,
    { from, at, isFailed }: { from: number; at: number; isFailed: boolean },
  ): void {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
    const span = this.#tracer.startSpan(name, { attributes, startTime: from }, context);
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(at);
  }
}
