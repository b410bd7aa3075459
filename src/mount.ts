import type { Hono } from "hono";
import { keepDeadlines, openDesk } from "./desk/index.ts";
import { defaultLedger } from "./graph/host.ts";
import { seal } from "./graph/index.ts";
import { LedgerError, type Ledger } from "./ledger/index.ts";
import { createMountedApp, LanggraphServer, readNamedPolicies } from "./server/index.ts";

export interface ApprovalRoutesOptions {
  /** Default: the one that graphs without a ledger of their own use. */
  ledger?: Ledger;
  /** Origins whose pages may use these routes, as `https://example.com`. */
  allowOrigins?: readonly string[];
}

/**
 * Makes the routes about approvals, decisions, events, the audit and policies, for a server that runs the graphs
 * itself: name the app under `http.app` of the `langgraph.json` that `langgraphjs dev` reads.
 *
 * A decision is in the ledger before it is answered, and the thread is resumed through that server. Where that is not
 * possible (`resumed: false`), the decision is taken when the thread is resumed the next time. Deadlines are kept for as
 * long as the ledger is open; runs that they let go on do so once the server has answered its first request. The routes answer to this machine's names only, and check the origin of pages themselves.
 * An `Idempotency-Key` is not kept: who repeats a decision is told what stands.
 *
 * @throws {StartError | LedgerError} for a bad origin, and for a store that cannot be opened.
 *
 * @example
 * export const app = await createApprovalRoutes();
 */
export async function createApprovalRoutes(options: ApprovalRoutesOptions = {}): Promise<Hono> {
  const { ledger = await defaultLedger(), allowOrigins = [] } = options;
  const langgraph = new LanggraphServer(seal, tell);
  const desk = openDesk(ledger, { onError: tell, resume: (approval) => langgraph.resume(approval) });
  const app = createMountedApp({
    ...{ desk, allowOrigins, policies: await readNamedPolicies(), onRequest: () => langgraph.isOpen() },
    ...{ ports: { ledger, onError: tell }, manager: langgraph, closing: new AbortController().signal },
    // Nobody says who they are here: whoever reaches the other server is asked by that.
    threadsSeenBy: () => undefined,
  });
  const stop = keepDeadlines(desk, ledger, {
    onError: (error) => (isClosed(error) ? void stop() : tell(error)),
  });
  return app;
}

function isClosed(error: unknown): boolean {
  return error instanceof LedgerError && error.code === "closed";
}

function tell(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
}
