import { TraceFlags } from "@opentelemetry/api";
import type { IdGenerator } from "@opentelemetry/sdk-trace-node";
import { createHash, randomBytes } from "node:crypto";

/** Where a span is in its trace. */
export interface SpanPlace {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/**
 * Ids of spans. Those of a run follow from its id, so that what ends after the run, perhaps in another process, still
 * finds its place beneath it.
 */
export class SpanIds implements IdGenerator {
  /** What spans get from now on; chance otherwise. */
  next: SpanPlace | null = null;

  ofRun(run_id: string): SpanPlace {
    const digest = createHash("sha256").update(run_id).digest("hex");
    return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48), traceFlags: TraceFlags.SAMPLED };
  }

  generateTraceId(): string {
    return this.next?.traceId ?? randomBytes(16).toString("hex");
  }

  generateSpanId(): string {
    return this.next?.spanId ?? randomBytes(8).toString("hex");
  }
}
