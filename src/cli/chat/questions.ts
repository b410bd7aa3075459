import type { Approval, Decision } from "../../ledger/index.ts";
import type { Decided } from "../approvals/decide.ts";
import { CliError } from "../cli-error.ts";
import { follow } from "./follow.ts";
import type { Reply } from "./input.ts";
import type { Session } from "./session.ts";
import type { Place } from "./view.ts";
import { watchApproval } from "./watch.ts";

/** The open questions of the thread. */
export async function openQuestions({ client, thread_id }: Session): Promise<Approval[]> {
  const query = { thread_id, status: "pending", limit: 1_000 };
  return (await client.send<{ approvals: Approval[] }>("/approvals", { query })).approvals;
}

/** Puts the open questions to the person, one after the other, until none is left or the rest is for later. */
export async function answerQuestions(session: Session): Promise<"leave" | "done"> {
  while (!session.leaving.aborted) {
    const open = (await openQuestions(session)).filter(({ approval_id }) => !session.later.has(approval_id));
    if (open.length === 0) return "done";
    const settled: Approval[] = [];
    for (const [index, approval] of open.entries()) {
      session.showArrived();
      const answer = await ask(session, approval, { index, total: open.length });
      if (answer === "leave") return "leave";
      if (answer !== "later") settled.push(answer);
    }
    if (settled.length > 0) await follow(session, settled);
  }
  return "leave";
}

/** Asks about one call until it is settled, here or elsewhere. */
async function ask(
  session: Session,
  approval: Approval,
  place: Place,
): Promise<Approval | "later" | "leave"> {
  const { view, input, client, later, leaving } = session;
  const watch = watchApproval(client, approval.approval_id);
  const signal = AbortSignal.any([watch.signal, leaving]);
  let refused: Decision | undefined;
  let { isClipped } = view.question(approval, place, { full: false });
  await tellShown(session, approval);
  try {
    for (;;) {
      const reply: Reply = await input.reply(approval, { signal, isClipped, refused });
      switch (reply.kind) {
        case "leave":
          return "leave";
        case "later":
          later.add(approval.approval_id);
          return "later";
        case "show":
          ({ isClipped } = view.question(approval, place, { full: true }));
          break;
        case "overtaken":
          return leaving.aborted ? "leave" : await elsewhere(session, approval);
        case "decide": {
          const answer = await decide(session, approval, reply.decision);
          if (answer === "refused") {
            refused = reply.decision.type === "edit" ? reply.decision : undefined;
            break;
          }
          if (answer.status !== "pending") return answer;
          // A vote of several: what is missing is up to others.
          later.add(approval.approval_id);
          return "later";
        }
      }
    }
  } finally {
    watch.stop();
  }
}

/** Sends a decision. A refusal that leaves the question open is shown, and the person is asked again. */
async function decide(
  session: Session,
  { approval_id }: Approval,
  decision: Decision,
): Promise<Approval | "refused"> {
  const { client, view } = session;
  const path = `/approvals/${encodeURIComponent(approval_id)}`;
  try {
    const decided = await client.send<Decided>(`${path}/decision`, { method: "POST", body: decision });
    view.settled(decided.approval, "here");
    return decided.approval;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const now = await client.send<Approval>(path);
    if (now.status !== "pending") {
      view.settled(now, "elsewhere");
      return now;
    }
    view.fault(error.problem);
    return "refused";
  }
}

async function elsewhere({ client, view }: Session, { approval_id }: Approval): Promise<Approval> {
  const now = await client.send<Approval>(`/approvals/${encodeURIComponent(approval_id)}`);
  view.settled(now, "elsewhere");
  return now;
}

async function tellShown({ client }: Session, { approval_id }: Approval): Promise<void> {
  const path = `/approvals/${encodeURIComponent(approval_id)}/shown`;
  // Only the clock of "time to decide" hangs on it, so a failure is not the person's concern.
  await client.send(path, { method: "POST", body: {} }).catch(() => undefined);
}
