import type { Approval, Decision } from "../../ledger/index.ts";
import type { Decided } from "../approvals/decide.ts";
import { decideTogether } from "../approvals/group.ts";
import { inGroups } from "../approval-groups.ts";
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
    let index = 0;
    for (const group of inGroups(open)) {
      await showGroup(session, group);
      for (let rest = group; rest.length > 0;) {
        session.showArrived();
        const answer = await ask(session, rest, { index, total: open.length });
        if (answer === "leave") return "leave";
        // What stands by now is asked about anew.
        if (answer === "again") break;
        const count = answer === "later" ? 1 : answer.length;
        if (answer !== "later") settled.push(...answer.filter(({ status }) => status !== "pending"));
        index += count;
        rest = rest.slice(count);
      }
    }
    if (settled.length > 0) await follow(session, settled);
  }
  return "leave";
}

/** Shows the calls of a group together, before they are asked about. */
async function showGroup(session: Session, group: readonly Approval[]): Promise<void> {
  if (group.length < 2) return;
  session.view.group(group, { full: false });
  for (const one of group) await tellShown(session, one);
}

/**
 * Asks about the first of these calls until it is settled, here or elsewhere, alone or together with the others. Gives
 * those that were decided.
 */
async function ask(
  session: Session,
  rest: readonly Approval[],
  place: Place,
): Promise<Approval[] | "later" | "leave" | "again"> {
  const { view, input, client, later, leaving } = session;
  let [approval] = rest;
  if (approval === undefined) return [];
  const together = rest.length;
  const watch = watchApproval(client, approval.approval_id);
  const signal = AbortSignal.any([watch.signal, leaving]);
  let refused: Decision | undefined;
  let { isClipped } = view.question(approval, place, { full: false });
  await tellShown(session, approval);
  try {
    for (;;) {
      const reply: Reply = await input.reply(approval, { signal, isClipped, refused, together });
      switch (reply.kind) {
        case "leave":
          return "leave";
        case "later":
          later.add(approval.approval_id);
          return "later";
        case "show":
          if (together > 1) view.group(rest, { full: true });
          ({ isClipped } = view.question(approval, place, { full: true }));
          break;
        case "overtaken":
          return leaving.aborted ? "leave" : [await elsewhere(session, approval)];
        case "decide_all":
          return await decideAll(session, rest, reply.decision);
        case "decide": {
          const answer = await decide(session, approval, reply.decision);
          if ("still" in answer) {
            // What it needs of this person may be more than was shown to all.
            approval = answer.still;
            refused = reply.decision.type === "edit" ? reply.decision : undefined;
            break;
          }
          if (answer.status !== "pending") return [answer];
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
): Promise<Approval | { still: Approval }> {
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
    return { still: now };
  }
}

/** Sends one decision for all of these calls, as they were shown. When it is refused, none of them is decided. */
async function decideAll(
  { client, view, later }: Session,
  group: readonly Approval[],
  decision: Decision,
): Promise<Approval[] | "again"> {
  try {
    const { decisions } = await decideTogether(client, group, decision);
    for (const { approval } of decisions) {
      view.settled(approval, "here");
      if (approval.status === "pending") later.add(approval.approval_id);
    }
    return decisions.map(({ approval }) => approval);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    view.fault(error.problem);
    return "again";
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
