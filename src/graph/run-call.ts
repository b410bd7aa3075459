import type { BaseMessage } from "@langchain/core/messages";
import type { Command as GraphCommand } from "@langchain/langgraph";
import { isoTime } from "../desk/index.ts";
import { digest, type Authority, type Command, type Execution } from "../ledger/index.ts";
import type { Subject } from "./ask-command.ts";
import type { Entry } from "./entry.ts";
import { execute } from "./execute.ts";
import type { Judged, Judgement } from "./judge.ts";
import { putQuestion } from "./put-question.ts";
import { answered } from "./tool-message.ts";

/** What the tools node gives back for one call: its tool message, or what the tool itself commands. */
export type Passed = BaseMessage | GraphCommand;

/** The call has been run, or is being run: its result stands, or a person is asked what became of it. */
export async function afterExecution(
  entry: Entry,
  execution: Execution,
  judgement: Judgement,
): Promise<Passed | undefined> {
  const { executions } = entry.parts;
  switch (execution.state) {
    case "started":
      if (entry.call) entry.call = await executions.outlast(entry.call);
      return undefined;
    case "paused":
      return judgement.kind === "judged"
        ? resume(entry, judgement)
        : answered(entry, [], "failed", judgement.message);
    case "succeeded":
    case "failed":
      // Its end was recorded and its result was not, which one step writes together: this ledger did not write that.
      return answered(entry, [], "unknown", execution.error ?? "Its result was lost.");
    case "unknown":
      return onUnknown(entry, execution, judgement);
  }
}

async function onUnknown(
  entry: Entry,
  execution: Execution,
  judgement: Judgement,
): Promise<Passed | undefined> {
  const why = execution.error ?? "";
  if (judgement.kind === "invalid") return answered(entry, [], "unknown", why);
  const { verdict, shelved } = judgement;
  if (execution.is_safe && shelved.is_safe) {
    // A tool that outlasted its time would do so again.
    if (execution.owner === entry.parts.executions.owner) return answered(entry, [], "unknown", why);
    return run(entry, judgement, execution.authority, []);
  }
  if (verdict.tier === "deny") return answered(entry, [], "unknown", why);
  const description =
    `This call was started and left no result: ${why} Whether it took effect is not known. ` +
    "Approve to run it again, respond with its result if it is done, or reject to give up.";
  const { name: tool, args } = entry.effective();
  const subject: Subject = { kind: "outcome", tool, args, verdict, description, args_schema: shelved.schema };
  return putQuestion(entry, subject, verdict, []);
}

export async function run(
  entry: Entry,
  { shelved }: Judged,
  authority: Authority,
  before: Command[],
): Promise<Passed | undefined> {
  const { name: tool, args } = entry.effective();
  const claim = { tool, args, args_digest: digest(args), authority, is_safe: shelved.is_safe };
  const held = entry.takeHeld();
  const claimed = await entry.parts.executions.claim(entry.target, claim, {
    before: [...held.before, ...before],
    known: held.known,
    at: isoTime(entry.parts.clock),
  });
  if (claimed.state === "standing" && held.before.length > 0) {
    await entry.read();
    return undefined;
  }
  if (claimed.state === "standing") return onStanding(entry);
  entry.noticed(claimed.changed);
  return execute(entry, shelved, { tool, args }, claimed.release);
}

async function resume(entry: Entry, { shelved }: Judged): Promise<Passed | undefined> {
  if (!entry.call) return undefined;
  const claimed = await entry.parts.executions.resume(entry.call);
  if (claimed.state === "standing") return onStanding(entry);
  entry.noticed(claimed.changed);
  const { name: tool, args } = entry.effective();
  return execute(entry, shelved, { tool, args }, claimed.release);
}

/** Somebody else was first: go on from what stands now. What can never be cleared must not be tried for ever. */
async function onStanding(entry: Entry): Promise<Passed | undefined> {
  const before = entry.call?.version;
  await entry.read();
  if (entry.call?.version !== before) return undefined;
  return answered(entry, [], "denied", "Nothing stands that clears this call.");
}
