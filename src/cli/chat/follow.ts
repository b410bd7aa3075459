import type { Approval } from "../../ledger/index.ts";
import type { Session } from "./session.ts";

/** How long a settled call may go without a sign of its run before the chat goes on. */
const GRACE_MS = 10_000;
const LOOK_MS = 1_000;

/** Shows what the thread does until it is quiet and the calls of these approvals have their answer. */
export async function follow(session: Session, settled: readonly Approval[]): Promise<void> {
  const { feed, leaving, view } = session;
  let quietSince = Date.now();
  while (!leaving.aborted) {
    session.showArrived();
    const thread = await session.thread();
    session.showArrived();
    session.showMessages(thread);
    if (thread.status === "busy") quietSince = Date.now();
    else if (settled.every((one) => isAnswered(session, one))) return;
    else if (Date.now() - quietSince > GRACE_MS) {
      view.note("The run has not gone on yet; it does when what holds it up is over.");
      return;
    }
    await feed.arrival(LOOK_MS, leaving);
  }
}

function isAnswered({ answered }: Session, { tool_call_id, next_approval_id }: Approval): boolean {
  return next_approval_id !== null || answered.has(tool_call_id);
}
