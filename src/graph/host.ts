import { openLedger, type Ledger } from "../ledger/index.ts";

/** What a server lends to the graphs it runs. */
export interface Host {
  ledger: Ledger;
  clock?: () => number;
  /** Who asked for the run, as far as the server knows. */
  requested_by?: string | null;
  /** How many questions may be open at once on one thread. */
  maxPending?: number;
}

// A registered symbol, so that a graph with its own copy of this package finds the server it runs in.
const HOST = Symbol.for("countersign.host/1");

interface Slot {
  /** The host of what is running now, if any. */
  current: () => Host | undefined;
}

/** Makes a host findable for the graphs that run under it. */
export function announceHost(current: () => Host | undefined): void {
  const slot: Slot = { current };
  Object.defineProperty(globalThis, HOST, { value: slot, configurable: true });
}

export function currentHost(): Host | undefined {
  return (globalThis as { [HOST]?: Slot })[HOST]?.current();
}

const DEFAULT_STORE = "file:.countersign/state.db";
const opened = new Map<string, Promise<Ledger>>();

/**
 * The ledger for a graph that was given none: that of the server it runs in, else the one that `COUNTERSIGN_STORE`
 * names, else `file:.countersign/state.db`. Each address is opened once in a process.
 */
export function defaultLedger(): Promise<Ledger> {
  const host = currentHost();
  if (host) return Promise.resolve(host.ledger);
  const url = process.env["COUNTERSIGN_STORE"] ?? DEFAULT_STORE;
  let ledger = opened.get(url);
  if (ledger === undefined) {
    ledger = openLedger(url);
    opened.set(url, ledger);
    ledger.catch(() => opened.delete(url));
  }
  return ledger;
}

/** Who asked for what runs now, for the ledger; nothing where nobody had to say who they are. */
export function requester(): { requested_by?: string } {
  const requested_by = currentHost()?.requested_by;
  return typeof requested_by === "string" ? { requested_by } : {};
}
