import { isoTime, planOf } from "../desk/index.ts";
import { approvalId, digest, type Command, type Decision, type ThreadState } from "../ledger/index.ts";
import { maskArgs, parseDuration, secretsIn, Secrets, type AutomaticReviewer } from "../policy/index.ts";
import type { Subject } from "./ask-command.ts";
import type { Entry } from "./entry.ts";
import { hearReviewer, type Heard } from "./hear-reviewer.ts";
import { saidIn } from "./said.ts";
import { unasked } from "./settle-unasked.ts";
import type { ReviewRequest } from "./reviewer.ts";
import { strictestOn } from "./under-thread-mode.ts";

/** After so many rejections in a row, or so many in all, a person looks at the thread first. */
const MOST_IN_ROW = 3;
const MOST = 20;

/**
 * Asks the automatic reviewers of a policy, one after the other. The first that decides settles the question, in one
 * step with it; then this gives `null`. Else it gives what is to be written before the question: `before`, and what
 * each of them said.
 *
 * What became of an execution is a question of fact, which only people answer, so none is asked about that.
 *
 * @throws the reason of the run's abort.
 */
export async function askReviewers(
  entry: Entry,
  subject: Subject,
  before: Command[],
): Promise<Command[] | null> {
  const { reviewers } = subject.verdict;
  if (reviewers.length === 0 || subject.kind !== "call") return before;
  if (isHandedOver(await entry.parts.ledger.thread(entry.target.thread_id))) return before;
  // A person's consent that was held back is written now: reviewers take their time.
  await entry.change();
  const request = requestOf(entry, subject);
  const said = [...before];
  for (const reviewer of reviewers) {
    const heard = await hear(entry, reviewer, request);
    const isClosed = heard.verdict === "approve" && (await isClosedMeanwhile(entry));
    const settled = isClosed
      ? { fault: "Meanwhile the thread was set to ask nobody." }
      : heard.error === undefined
        ? settling(entry, subject, { reviewer, heard, said })
        : null;
    if (settled !== null && "commands" in settled) {
      // Whoever else was first: the gate goes on from what stands.
      await entry.change(...settled.commands);
      return null;
    }
    said.push(note(subject, reviewer, settled === null ? heard : { ...heard, error: settled.fault }));
  }
  return said;
}

/** Whether the thread's own mode has become one in which nothing is approved. */
async function isClosedMeanwhile({ parts, target }: Entry): Promise<boolean> {
  return (await strictestOn(parts.ledger, target.thread_id, "interactive")) !== "interactive";
}

/** Whether automatic reviewers have rejected so much on a thread that a person has to look at it. */
function isHandedOver({ rejected, rejected_in_row }: ThreadState): boolean {
  return rejected_in_row >= MOST_IN_ROW || rejected >= MOST;
}

function requestOf(entry: Entry, { tool, args, description, verdict }: Subject): ReviewRequest {
  const masks = entry.masks();
  const secrets = new Secrets(secretsIn(masks, args));
  return {
    ...{ tool, args: maskArgs(masks, args), description },
    ...{ tier: verdict.tier, rules: verdict.rules, reason: verdict.reason ?? verdict.why },
    said: saidIn(entry).map((text) => secrets.hide(text)),
    thread_id: entry.target.thread_id,
    tool_call_id: entry.input.call.id,
    approval_id: approvalId(entry.target.call_id, roundOf(entry)),
  };
}

function roundOf(entry: Entry): number {
  return (entry.call?.approvals.length ?? 0) + 1;
}

function hear(entry: Entry, { use, timeout }: AutomaticReviewer, request: ReviewRequest): Promise<Heard> {
  const reviewer = entry.parts.reviewers.get(use);
  // Names are checked where the gate is made.
  if (reviewer === undefined) throw new TypeError(`No reviewer is registered as "${use}".`);
  return hearReviewer(reviewer, structuredClone(request), {
    timeoutMs: parseDuration(timeout),
    timeout,
    run: entry.config.signal,
  });
}

/** What a verdict leads to: the question and its end, or why it does not count. `null`: it says nothing. */
function settling(
  entry: Entry,
  subject: Subject,
  { reviewer, heard, said }: { reviewer: AutomaticReviewer; heard: Heard; said: Command[] },
): { commands: Command[] } | { fault: string } | null {
  const { verdict } = heard;
  if (verdict === null || verdict === "next") return null;
  if (!reviewer.may.includes(verdict)) return { fault: `The policy does not let it ${verdict}.` };
  if (verdict === "approve" && roundOf(entry) > 1)
    return { fault: "What people have decided about before is theirs to approve." };
  const ask = unasked(entry, subject);
  const decide: Command = {
    type: "decide",
    approval_id: ask.data.approval_id,
    decision: decisionOf(reviewer.use, verdict, heard),
    by: { kind: "reviewer", id: reviewer.use },
  };
  const commands = [...said, note(subject, reviewer, heard), ask, decide];
  const { refused } = planOf(entry.call, entry.target, isoTime(entry.parts.clock), { commands });
  if (refused.refusal === undefined || !("message" in refused.refusal)) return { commands };
  return { fault: refused.refusal.message };
}

function decisionOf(use: string, type: "approve" | "reject", { reason, message }: Heard): Decision {
  const why = reason === undefined ? {} : { reason };
  if (type === "approve") return { type, ...why };
  return { type, message: message ?? reason ?? `The automatic reviewer "${use}" rejected it.`, ...why };
}

function note(
  { args }: Subject,
  { use }: AutomaticReviewer,
  { verdict, reason, risk, took_ms, error }: Heard,
): Command {
  return {
    type: "note",
    data: {
      ...{ args_digest: digest(args), reviewer: use, verdict, took_ms },
      ...(reason !== undefined && { reason }),
      ...(risk !== undefined && { risk }),
      ...(error !== undefined && { error }),
    },
  };
}
