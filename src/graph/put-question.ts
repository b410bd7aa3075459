import type { Command } from "../ledger/index.ts";
import type { Verdict } from "../policy/index.ts";
import type { Subject } from "./ask-command.ts";
import { askWithin } from "./ask-within.ts";
import { askReviewers } from "./ask-reviewers.ts";
import type { Entry } from "./entry.ts";
import type { Judged } from "./judge.ts";
import { whyNobody } from "./people-of.ts";
import { settleUnasked } from "./settle-unasked.ts";
import { withRoom } from "./room-to-ask.ts";
import { strictestOn } from "./under-thread-mode.ts";

/** Asks, or settles at once what nobody is asked in this mode. Throws to pause. */
export async function putQuestion(
  entry: Entry,
  subject: Subject,
  verdict: Verdict,
  start: Command[],
): Promise<undefined> {
  const before = verdict.mode === "interactive" ? await askReviewers(entry, subject, start) : start;
  if (before === null) return undefined;
  const { ledger } = entry.parts;
  // Reviewers take their time, and somebody may have set the thread to ask nobody meanwhile.
  const mode =
    before === start ? verdict.mode : await strictestOn(ledger, entry.target.thread_id, verdict.mode);
  const nobody = whyNobody(entry, subject);
  if (mode === "never") {
    await settleUnasked(
      entry,
      subject,
      before,
      "rejected",
      "Policy asks nobody here: what needs an approval is rejected.",
    );
  } else if (mode === "fail_closed") {
    await settleUnasked(entry, subject, before, "unavailable", "This run has nobody to ask.");
  } else if (nobody !== undefined) {
    await settleUnasked(entry, subject, before, "unavailable", nobody);
  } else if (entry.parts.answer === undefined && !entry.place.has_checkpointer) {
    await settleUnasked(
      entry,
      subject,
      before,
      "unavailable",
      "The graph has no checkpointer, so it cannot wait.",
    );
  } else if (entry.parts.answer !== undefined) {
    await askWithin(entry, subject, before);
  } else {
    await withRoom(entry, async (most) => {
      if (most === null) return askWithin(entry, subject, before);
      const why = `${most} questions are open on this thread already. Wait until some of them are answered.`;
      return settleUnasked(entry, subject, before, "unavailable", why);
    });
  }
  return undefined;
}

/** What is asked about when a call needs an approval. */
export function subjectOf(entry: Entry, { verdict, shelved, description, facts }: Judged): Subject {
  const { name: tool, args } = entry.effective();
  return { kind: "call", tool, args, verdict, description, args_schema: shelved.schema, paths: facts.paths };
}
