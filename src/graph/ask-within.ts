import { askedBefore, askingFor, isoTime } from "../desk/index.ts";
import type { Command } from "../ledger/index.ts";
import type { Group } from "../policy/index.ts";
import { openQuestion } from "./ask.ts";
import type { Subject } from "./ask-command.ts";
import type { Entry } from "./entry.ts";
import { whyNobody } from "./people-of.ts";
import { runOf } from "./run-of.ts";
import { settleUnasked } from "./settle-unasked.ts";

/**
 * Asks people within the budgets of the policy and what a run may ask, or rejects. What became of an execution is asked
 * whatever was asked before. @throws {GraphInterrupt}
 */
export async function askWithin(entry: Entry, subject: Subject, before: Command[]): Promise<void> {
  if (subject.kind !== "call") {
    await openQuestion(entry, subject, before);
    return;
  }
  const { ledger, clock } = entry.parts;
  const asker = { thread_id: entry.target.thread_id, run: runOf(entry) };
  for (;;) {
    const at = isoTime(clock);
    const asked = await askedBefore(ledger, subject.verdict, asker, at);
    const asking = askingFor(subject.verdict, asker, at, asked);
    if (asking.kind === "reject")
      return settleUnasked(entry, subject, before, "rejected", asking.reason, asking.rule);
    const { takes, limits, quiet_until, group } = asking;
    const put = group === undefined ? subject : putTo(subject, group);
    const nobody = whyNobody(entry, put);
    if (nobody !== undefined) return settleUnasked(entry, put, before, "unavailable", nobody);
    const said = { ...put.asking, takes, ...(quiet_until !== undefined && { quiet_until }) };
    // Without room somebody else has asked in this moment, and what there is left is looked at again.
    if (await openQuestion(entry, { ...put, asking: said }, before, limits)) return;
  }
}

/** A question that goes to another group from the beginning, in place of those whom policy names. */
function putTo(subject: Subject, { group, reviewers }: Group): Subject {
  const { verdict } = subject;
  const [, ...escalate] = verdict.review.escalate;
  const review = { ...verdict.review, by: [[group]], reviewers, escalate };
  return { ...subject, verdict: { ...verdict, review }, asking: { in_place_of: verdict.review.by } };
}
