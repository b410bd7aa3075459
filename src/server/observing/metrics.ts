import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Batch, Ledger } from "../../ledger/index.ts";
import { LoopLag } from "./loop-lag.ts";
import type { Happened } from "./watch.ts";

/** What the server says of itself when its figures are asked for. */
export interface Standing {
  approvals_pending: () => Promise<number>;
  streams_open: () => number;
  threads_busy: () => Promise<number>;
}

/** One answered request. `route` is the pattern of its route, not its path. */
export interface Answered {
  route: string;
  method: string;
  status: number;
  ms: number;
}

/** How many tools have a figure of their own: names come from graphs, and a graph's own questions may bear any. */
const MAX_TOOLS = 200;
const DECISION_SECONDS = [0.01, 0.1, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];
const MILLISECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000];
const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

/** The figures of one server, for Prometheus. Those of two servers in a process do not mix. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #tools = new Set<string>();
  readonly #live = new Set<string>();
  readonly #lag = new LoopLag();
  readonly #requested = this.#counter("approvals_requested_total", "Questions that were asked.", ["tool"]);
  readonly #resolved = this.#counter("approvals_resolved_total", "Questions that ended.", [
    "status",
    "decided_by",
  ]);
  readonly #runs = this.#counter("runs_total", "Runs that stopped.", ["status"]);
  readonly #results = this.#counter("tool_results_total", "Calls that were answered.", ["outcome"]);
  readonly #requests = this.#counter("http_requests_total", "Requests that were answered.", [
    "route",
    "method",
    "status",
  ]);
  readonly #decision = this.#histogram(
    "decision_seconds",
    "From the question to its outcome.",
    [],
    DECISION_SECONDS,
  );
  readonly #commit = this.#histogram(
    "decision_commit_milliseconds",
    "Writing a decision down.",
    [],
    MILLISECONDS,
  );
  readonly #duration = this.#histogram(
    "http_request_duration_seconds",
    "From a request to its answer; of a stream, to its beginning.",
    ["route", "method"],
    SECONDS,
  );

  constructor(standing: Standing) {
    this.#gauge("approvals_pending", "Questions that are open.", standing.approvals_pending);
    this.#gauge("runs_live", "Runs that go on in this process.", () => this.#live.size);
    this.#gauge("streams_open", "Streams and sockets that are open.", standing.streams_open);
    this.#gauge("threads_busy", "Threads on which a run goes on.", standing.threads_busy);
    this.#gauge("event_loop_lag_seconds", "The longest delay of the event loop since the last look.", () =>
      this.#lag.take(),
    );
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The figures as text. A gauge that cannot be read is told of as `NaN`. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Counts what happened. */
  take({ event, at, began }: Happened): void {
    switch (event.type) {
      case "approval_requested":
        if (!event.data.announced) this.#requested.inc({ tool: this.#toolOf(event.data.tool) });
        return;
      case "approval_resolved": {
        const { status, decision } = event.data;
        this.#resolved.inc({ status, decided_by: decision.decided_by.kind });
        if (began !== null) this.#decision.observe(Math.max(0, at - began) / 1_000);
        return;
      }
      case "run_started":
        return void this.#live.add(event.run_id ?? "");
      case "run_stopped":
        this.#live.delete(event.run_id ?? "");
        return this.#runs.inc({ status: event.data.status });
      case "tool_result":
        return this.#results.inc({ outcome: event.data.outcome });
      default:
        return;
    }
  }

  answered({ route, method, status, ms }: Answered): void {
    this.#requests.inc({ route, method, status });
    this.#duration.observe({ route, method }, ms / 1_000);
  }

  /** Measures from now on how long this ledger takes to write decisions down. */
  timeDecisions(ledger: Ledger): void {
    const appendAll = ledger.appendAll.bind(ledger);
    ledger.appendAll = async (batches: Batch[]) => {
      const isDecision = batches.some(({ events }) =>
        events.some(({ type }) => type === "approval_resolved"),
      );
      if (!isDecision) return appendAll(batches);
      const begin = performance.now();
      const appended = await appendAll(batches);
      if (appended.ok) this.#commit.observe(performance.now() - begin);
      return appended;
    };
  }

  close(): void {
    this.#lag.close();
    this.#registry.clear();
  }

  #toolOf(tool: string): string {
    if (this.#tools.size < MAX_TOOLS) this.#tools.add(tool);
    return this.#tools.has(tool) ? tool : "other";
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name: `countersign_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({
      ...{ name: `countersign_${name}`, help, labelNames, buckets },
      registers: [this.#registry],
    });
  }

  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge: Gauge = new Gauge({
      ...{ name: `countersign_${name}`, help, registers: [this.#registry] },
      async collect() {
        // A store that does not answer leaves the other figures readable.
        gauge.set(
          await Promise.resolve()
            .then(read)
            .catch(() => Number.NaN),
        );
      },
    });
  }
}
