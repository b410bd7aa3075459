import type { GraphInterrupt } from "@langchain/langgraph";
import { DeskError, frictionFor, isoTime, readDecision } from "../desk/index.ts";
import {
  decide,
  type Approval,
  type Command,
  type Decision,
  type Friction,
  type Refusal,
  type Limit,
} from "../ledger/index.ts";
import { decisionFor, isSealed, seal } from "./answer-of.ts";
import { askCommand, type Subject } from "./ask-command.ts";
import { askInProcess } from "./ask-in-process.ts";
import type { Entry } from "./entry.ts";
import { interruptAt, type Interrupted } from "./interrupt-at.ts";
import { addressedAnswers, fillPosition } from "./platform.ts";

/**
 * Passes a question that was opened before, in this entry or an earlier one. Returns when it is settled.
 *
 * `interrupt()` is called on every entry, also when the ledger has decided, since LangGraph hands answers out by
 * position.
 *
 * @throws {GraphInterrupt} as long as it is pending.
 */
export async function passQuestion(entry: Entry, approval: Approval, position: number): Promise<void> {
  if (approval.asked_by === "callback") {
    if (approval.status === "pending") await askInProcess(entry, approval);
    return;
  }
  if (approval.asked_by === "none") return;
  const current = await expireWhenOver(entry, approval);
  const isCertain = current.status === "pending" && (await isCertainHere(entry, current));
  const friction = await frictionHere(entry, current);
  const interrupted = interruptAt(
    entry.config,
    position,
    { ...current, mask: entry.masks() },
    checkOf(entry, current, { isCertain, ...friction }),
    current.interrupt_id,
  );
  if (interrupted.kind === "answered")
    entry.arrived.set(addresseeOf(interrupted.answer) ?? approval.approval_id, interrupted.answer);
  fillPosition(entry.config, position, seal(approval.approval_id));
  if (current.status !== "pending") return;
  const answer = entry.arrived.get(approval.approval_id);
  if (answer === undefined) throw pauseOf(entry, interrupted);
  await settleWith(entry, current, answer, { interrupted, ...friction });
}

/** What somebody whom nobody knows gets for a question, when the newest decisions here were made without reading. */
async function frictionHere(entry: Entry, approval: Approval): Promise<{ friction?: Friction }> {
  const { ledger, clock } = entry.parts;
  const friction = await frictionFor(ledger, approval, { kind: "user" }, isoTime(clock));
  if (friction === null) return {};
  const { approval_id, first_shown_at } = approval;
  if (first_shown_at === null) await entry.change({ type: "show", approval_id });
  return { friction };
}

/**
 * Opens a question and pauses, unless a person answers it in process. Resolves to false, with nothing written, when there
 * is no room for it within the limits. @throws {GraphInterrupt}
 */
export async function openQuestion(
  entry: Entry,
  subject: Subject,
  before: Command[],
  limits: Limit[] = [],
): Promise<boolean> {
  const command = askCommand(entry, subject);
  const { data } = command;
  const position = entry.call?.approvals.filter(({ asked_by }) => asked_by === "interrupt").length ?? 0;
  if (data.asked_by === "callback") {
    const { refusal } = await entry.changeWith({ commands: [...before, command], limits });
    if (refusal?.code === "no_room") return false;
    const approval = entry.call?.approvals.at(-1);
    if (approval) await askInProcess(entry, approval);
    return true;
  }
  // Whatever answer comes with the entry that opens a question was given before anybody could see it.
  const interrupted = interruptAt(
    entry.config,
    position,
    { ...data, mask: entry.masks() },
    () => "It came before this question was asked.",
  );
  if (interrupted.kind !== "waiting")
    throw new TypeError("An answer was taken before its question was asked.");
  const { interrupt_id } = interrupted;
  const ask: Command = { type: "ask", data: { ...data, interrupt_id } };
  const { refusal } = await entry.changeWith({ commands: [...before, ask], limits });
  if (refusal?.code === "no_room") return false;
  entry.opened.add(data.approval_id);
  throw interrupted.pause(interrupted.refused);
}

/** What is wrong with an answer to a pending question, or nothing. What is settled takes whatever comes and ignores it. */
function checkOf(
  entry: Entry,
  approval: Approval,
  { isCertain, ...friction }: { isCertain: boolean; friction?: Friction },
): (answer: unknown) => string | undefined {
  const { approval_id, status } = approval;
  if (status !== "pending") return () => undefined;
  if (entry.opened.has(approval_id)) return () => "It came before this question was asked.";
  const shown = underMasks(entry, approval);
  return (answer) => {
    try {
      const decision = readDecision(decisionFor(answer, shown, isCertain), shown);
      const by = { kind: "user" as const };
      const command = { type: "decide" as const, approval_id, decision, by, ...friction };
      // An answer that LangGraph has handed over cannot be refused any more, so all is checked before.
      const { refusal } = decide(entry.call, command, isoTime(entry.parts.clock));
      return wrongIn(refusal);
    } catch (error) {
      if (error instanceof DeskError) return error.message;
      throw error;
    }
  };
}

/** An answer that names another approval waits for it, in case its question comes later in this task. */
function addresseeOf(answer: unknown): string | undefined {
  const id: unknown =
    typeof answer === "object" && answer !== null && "approval_id" in answer ? answer.approval_id : undefined;
  return typeof id === "string" ? id : undefined;
}

async function settleWith(
  entry: Entry,
  approval: Approval,
  answer: unknown,
  { interrupted, ...friction }: { interrupted: Interrupted; friction?: Friction },
): Promise<void> {
  const { approval_id } = approval;
  const decision = decisionIn(answer, approval, interrupted, entry);
  const by = { kind: "user" as const };
  const refusal = await entry.decide({ type: "decide", approval_id, decision, by, ...friction });
  // Whatever stands by now is the truth; only an answer that says nothing leaves the question open.
  const current = entry.call?.approvals.find((one) => one.approval_id === approval_id);
  if (current?.status !== "pending") return;
  throw pauseOf(entry, interrupted, wrongIn(refusal));
}

/** What is wrong with an answer that leaves its question open. */
function wrongIn(refusal: Refusal | undefined): string | undefined {
  return refusal?.code === "invalid_decision" || refusal?.code === "forbidden" ? refusal.message : undefined;
}

function decisionIn(answer: unknown, approval: Approval, interrupted: Interrupted, entry: Entry): Decision {
  const shown = underMasks(entry, approval);
  try {
    return readDecision(decisionFor(answer, shown, true), shown);
  } catch (error) {
    if (error instanceof DeskError) throw pauseOf(entry, interrupted, error.message);
    throw error;
  }
}

/** The approval as it was shown. */
function underMasks(entry: Entry, approval: Approval): Approval {
  return { ...approval, mask: entry.masks() };
}

async function expireWhenOver(entry: Entry, approval: Approval): Promise<Approval> {
  const { approval_id, status, expires_at } = approval;
  if (status !== "pending" || expires_at === null || entry.parts.clock() < Date.parse(expires_at))
    return approval;
  await entry.change({ type: "close", approval_id, status: "expired", by: { kind: "timeout" } });
  return entry.call?.approvals.find((one) => one.approval_id === approval_id) ?? approval;
}

/**
 * Whether an answer that arrives here unsealed, as in a graph without a door, can be meant for nothing else. A bare one
 * may come back from an earlier question, so there must never have been another under this checkpoint. One that was
 * addressed may be for a call that another has replaced under the same task, which leaves two with one interrupt.
 */
async function isCertainHere(entry: Entry, approval: Approval): Promise<boolean> {
  const { approval_id, thread_id, checkpoint_id, interrupt_id } = approval;
  if (interrupt_id === null || checkpoint_id === null) return false;
  const { ledger } = entry.parts;
  const addressed = addressedAnswers(entry.config);
  const isAddressed = Object.hasOwn(addressed, interrupt_id);
  if (isAddressed && isSealed(addressed[interrupt_id])) return true;
  const { approvals } = await ledger.approvals({ status: "pending", thread_id, limit: 1_000 });
  const others = approvals.filter((one) => one.approval_id !== approval_id);
  if (isAddressed) return others.every((one) => one.interrupt_id !== interrupt_id);
  if (others.length > 0) return false;
  return (await ledger.countApprovals({ status: "all", thread_id, checkpoint_id })) <= 1;
}

function pauseOf(entry: Entry, interrupted: Interrupted, refused?: string): GraphInterrupt {
  const note: unknown = entry.config.configurable?.["countersign_refused"];
  const why = refused ?? (interrupted.kind === "waiting" ? interrupted.refused : undefined) ?? note;
  const text = typeof why === "string" ? why : undefined;
  if (interrupted.kind === "waiting") return interrupted.pause(text);
  throw new TypeError("A question was answered and is to be asked again under the same id.");
}
