import type { Happened } from "./watch.ts";

/** Where spans go. Telling it something never throws and never waits. */
export interface Traces {
  take(happened: Happened): void;
  /** Makes the span of a run part of a trace that its client began. @param traceparent as W3C's header has it */
  adopt(run_id: string, traceparent: string): void;
  /** Sends what is left, for a moment at most. */
  close(): Promise<void>;
}

/**
 * Opens the way to a collector when the environment names one, by OpenTelemetry's own variables. `null` otherwise, and
 * nothing of it is loaded.
 */
export async function openTraces(version: string, env = process.env): Promise<Traces | null> {
  const isWanted =
    isSet(env["OTEL_EXPORTER_OTLP_ENDPOINT"]) || isSet(env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]);
  const isOff = env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env["OTEL_TRACES_EXPORTER"] === "none";
  if (!isWanted || isOff) return null;
  const { OtlpTraces } = await import("./otlp-traces.ts");
  return new OtlpTraces(version);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== "";
}
