import type { Context } from "hono";
import { stream, streamSSE, type SSEStreamingApi } from "hono/streaming";
import type { RunRow } from "../database/tables.ts";
import type { Principal } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import type { ThreadMask } from "../masking/thread-mask.ts";
import { interruptsOf, readNow } from "../threads/thread-view.ts";
import { errorData, toJson, toPlain } from "../to-json.ts";
import { followElsewhere } from "./elsewhere.ts";
import type { Run, StreamEvent } from "./run.ts";
import { isWanted } from "./stream-modes.ts";

/** How often an open answer shows that it is alive, in milliseconds. */
const HEARTBEAT_MS = 15_000;

const STOPPED = {
  error: "ServerStopped",
  message: "The server stopped before the run's end. The run goes on when it is back: join it then.",
};

const LEFT = "The client left, and its run with it.";

/** How a client is served a run. */
export interface Serving {
  /** Who cancels the run by leaving, as they may: see `assertMayCancel`. `null`: it goes on without them. */
  endsWith: Principal | null;
  /** The modes that it reads; `null`: all that the run shows. */
  modes?: ReadonlySet<string> | null;
  /** The id of the last event that it has seen. */
  after?: string | undefined;
}

/** Where a run is found again. */
export function placeOf({ thread_id, run_id }: Pick<RunRow, "thread_id" | "run_id">): string {
  return `/threads/${thread_id}/runs/${run_id}`;
}

/** The run of a row: as this process knows it, or as it goes on in another one. `null`: it has ended. */
export function knownRun({ ports }: ServerParts, record: RunRow): Run | null {
  const known = ports.registry.get(record.run_id);
  if (known) return known;
  return ["pending", "running", "drained"].includes(record.status) ? followElsewhere(ports, record) : null;
}

/** Answers with what a run leaves. The answer is open from the start, so that a long run is no dead connection. */
export function serveValues(c: Context, parts: ServerParts, run: Run, { endsWith }: Serving): Response {
  c.header("Content-Type", "application/json");
  c.header("Content-Location", placeOf(run));
  return stream(c, async (out) => {
    if (endsWith) out.onAbort(() => cancelLeft(parts, run, endsWith));
    // White space before the value, which every JSON parser skips.
    const beat = setInterval(() => void out.write("\n"), HEARTBEAT_MS);
    try {
      await out.write(toJson(await valuesOf(parts, run)));
      if (!out.aborted) parts.ports.told.add(run.result?.interrupts ?? []);
    } finally {
      clearInterval(beat);
    }
  });
}

/** Answers with the stream of a run, from its beginning or from where the client left. */
export function serveStream(c: Context, parts: ServerParts, run: Run, serving: Serving): Response {
  const { endsWith, modes = null, after } = serving;
  c.header("Content-Location", placeOf(run));
  // Where a client whose connection broke comes again.
  c.header("Location", `${placeOf(run)}/stream`);
  return serveEvents(c, parts, async (out, signal) => {
    signal.addEventListener("abort", () => {
      if (endsWith && !parts.closing.aborted) cancelLeft(parts, run, endsWith);
    });
    let hasValues = false;
    // What became known where another process went on with the thread.
    if (run.mask !== null) await parts.ports.masks.renew(run.thread_id, run.mask);
    for await (const event of run.read(signal, after)) {
      if (event.event === "values") hasValues = true;
      // A run that nobody streamed shows at least what it left.
      if (event.event === "end" && !hasValues && modes?.has("values") && run.outcome?.error === null)
        await out.writeSSE({ event: "values", data: toJson(await valuesOf(parts, run)) });
      if (!isWanted(event.event, modes)) continue;
      await out.writeSSE(event);
      if (!signal.aborted) parts.ports.told.addFrom(event.data);
    }
    if (!signal.aborted) parts.ports.told.add(run.result?.interrupts ?? []);
  });
}

/** Sends events until `send` is done, the client has left, or the server stops. */
export function serveEvents(
  c: Context,
  { ports, closing }: ServerParts,
  send: (out: SSEStreamingApi, signal: AbortSignal) => Promise<void>,
): Response {
  return streamSSE(
    c,
    async (out) => {
      const left = new AbortController();
      const leave = (): void => left.abort();
      out.onAbort(leave);
      closing.addEventListener("abort", leave, { once: true });
      const beat = setInterval(() => void out.write(": heartbeat\n\n"), HEARTBEAT_MS);
      try {
        await send(out, left.signal);
      } finally {
        clearInterval(beat);
        closing.removeEventListener("abort", leave);
      }
    },
    async (error) => ports.onError(error),
  );
}

/** The events of a run that has ended, and that this process does not know: its state as it stands, and its end. */
export async function endedEvents(parts: ServerParts, record: RunRow): Promise<StreamEvent[]> {
  const { run_id, attempt } = record;
  const events: [string, unknown][] = [["metadata", { run_id, attempt }]];
  const values = await endedValues(parts, record);
  if ("__error__" in values) events.push(["error", values["__error__"]]);
  else events.push(["values", values]);
  events.push(["end", null]);
  return events.map(([event, data], index) => ({ id: `${attempt}-${index}`, event, data: toJson(data) }));
}

/** What a run that has ended left, as far as its thread still shows it. */
export async function endedValues(
  { ports }: ServerParts,
  { thread_id, status, error }: RunRow,
): Promise<Record<string, unknown>> {
  if (status === "error") return { __error__: { error: "Error", message: error ?? "The run failed." } };
  const row = await ports.threads.get(thread_id);
  const now = row && (await readNow(ports, row));
  const interrupts = now ? interruptsOf(now) : [];
  const values = toPlain(withOpen(now?.state?.values, interrupts));
  return (row ? (await ports.masks.of(row)).show(values) : values) as Record<string, unknown>;
}

/** What a run leaves: its state and what is open, or its error. */
async function valuesOf(parts: ServerParts, run: Run): Promise<unknown> {
  const values = await wholeValuesOf(parts, run);
  const mask = run.mask ?? (await maskElsewhere(parts, run));
  return mask?.show(values) ?? values;
}

/** What the thread of a run hides that goes on in another process. */
async function maskElsewhere({ ports }: ServerParts, { thread_id }: Run): Promise<ThreadMask | null> {
  const row = await ports.threads.get(thread_id);
  return row === undefined ? null : ports.masks.of(row);
}

async function wholeValuesOf(parts: ServerParts, run: Run): Promise<unknown> {
  const { error, status } = await run.done;
  if (status === "drained") return { __error__: STOPPED };
  if (error !== null && !run.isCancelled) return { __error__: errorData(error) };
  if (run.result) return withOpen(run.result.values, run.result.interrupts);
  try {
    const { thread_id, run_id } = run;
    const row = await parts.ports.threads.get(thread_id);
    if (!row) return {};
    const now = await readNow(parts.ports, { ...row, run_id });
    return withOpen(now.state?.values, interruptsOf(now));
  } catch (failure) {
    parts.ports.onError(failure);
    return {
      __error__: { error: "Error", message: "The run's state cannot be read. See the server's log." },
    };
  }
}

function withOpen(values: unknown, open: readonly unknown[]): Record<string, unknown> {
  return { ...(values as object | undefined), ...(open.length > 0 && { __interrupt__: open }) };
}

function cancelLeft({ manager, ports }: ServerParts, run: Run, by: Principal): void {
  if (run.outcome !== null) return;
  const end = async (): Promise<void> => {
    const record = await ports.runs.get(run.run_id);
    if (record) await manager.cancel(record, { reason: LEFT, action: "interrupt", by: by.id });
  };
  end().catch((error: unknown) => ports.onError(error));
}
