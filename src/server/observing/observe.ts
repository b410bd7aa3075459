import type { Ledger } from "../../ledger/index.ts";
import { eventLine } from "./event-line.ts";
import type { Log } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import type { Traces } from "./traces.ts";
import { Watch, type Happened } from "./watch.ts";

/** Lets log, figures and traces hear of what is written to a ledger. Returns how to stop. */
export function observe(
  ledger: Ledger,
  { log, metrics, traces }: { log: Log; metrics: Metrics; traces: Traces | null },
): () => void {
  metrics.timeDecisions(ledger);
  const watch = new Watch(ledger, (happened) => {
    tellLog(log, happened);
    metrics.take(happened);
    traces?.take(happened);
  });
  return watch.start();
}

function tellLog(log: Log, { event, at, began, ran_ms }: Happened): void {
  const line = eventLine(event);
  if (line === null) return;
  const ms = event.type === "tool_result" ? ran_ms : began === null ? null : at - began;
  log[line.level](line.message, { ...line.fields, ...(ms !== null && { ms }) });
}
