import { DeskError, type Desk } from "../../desk/index.ts";
import { canonicalJson, LedgerError, sha256, type Approval, type LedgerEvent } from "../../ledger/index.ts";
import type { Message } from "../webhooks/outbox.ts";
import type { Quiet } from "./kept-notices.ts";
import { digestBody, noticeBody } from "./notice-body.ts";
import type { NoticeEvent, NoticeTarget } from "./notice-target.ts";

/** What an event of the ledger is called where it is told. */
const TOLD: Partial<Record<LedgerEvent["type"], NoticeEvent>> = {
  approval_requested: "asked",
  approval_warned: "warned",
  approval_escalated: "escalated",
  approval_resolved: "resolved",
};

/** What notices are made with. */
export interface Composing {
  /** Gives approvals as people see them. */
  desk: Pick<Desk, "get">;
  onError: (error: unknown) => void;
  /** ISO 8601. */
  now: string;
  /** Where people reach the server, without a slash at its end. */
  base: string;
}

/** Whether something may have to be told of an event. */
export function isTold({ type }: LedgerEvent): boolean {
  return TOLD[type] !== undefined;
}

/** What a target is told of an event: at once, later with others, or (`null`) nothing. */
export async function compose(
  { target, url, events }: NoticeTarget,
  event: LedgerEvent,
  composing: Composing,
): Promise<{ message: Message } | { quiet: Quiet } | null> {
  const type = TOLD[event.type];
  if (type === undefined || !events.has(type)) return null;
  const { approval_id, announced } = event.data as { approval_id: string; announced?: true };
  if (announced === true) return null;
  const approval = await approvalOf(approval_id, composing);
  // A person in process was asked there, and what policy settled was never asked.
  if (approval === null || approval.asked_by !== "interrupt") return null;
  const { thread_id, quiet_until } = approval;
  if (type === "asked" && quiet_until !== undefined && quiet_until > composing.now)
    return { quiet: { target, approval_id, thread_id, quiet_until } };
  const link = linkTo(approval, composing);
  const message: Message = {
    ...{ message_id: idOf(target, event.hash), thread_id, url, attempts: 0, due_ms: Date.now() },
    ...{ target, subject: approval_id, place: event.seq },
    body: noticeBody(type, event.at, { approval, link }),
  };
  return { message };
}

/** One notice of all approvals that were asked quietly and still wait; `null` when none does. */
export async function composeDigest(
  { target, url }: NoticeTarget,
  quiet: readonly Quiet[],
  composing: Composing,
): Promise<Message | null> {
  const told = [];
  for (const { approval_id } of quiet) {
    const approval = await approvalOf(approval_id, composing);
    if (approval?.status === "pending") told.push({ approval, link: linkTo(approval, composing) });
  }
  if (told.length === 0) return null;
  const which = quiet.map(({ approval_id }) => approval_id).sort();
  return {
    ...{ message_id: idOf(target, which), thread_id: null, url, attempts: 0, due_ms: Date.now() },
    ...{ target, subject: null, place: null },
    body: digestBody(composing.now, told, `${composing.base}/approvals`),
  };
}

/** The approval as people see it; `null` when it was erased, or cannot be trusted. */
async function approvalOf(approval_id: string, { desk, onError }: Composing): Promise<Approval | null> {
  try {
    return await desk.get(approval_id);
  } catch (error) {
    if (error instanceof DeskError) return null;
    // One call that was tampered with does not keep the others from being told.
    if (!(error instanceof LedgerError && error.code === "tampered")) throw error;
    onError(error);
    return null;
  }
}

function linkTo({ approval_id }: Approval, { base }: Composing): string {
  return `${base}/approvals/${approval_id}`;
}

/** The id of a notice: the same on each try and in each process. */
function idOf(target: string, what: unknown): string {
  return `msg_${sha256(canonicalJson([target, what])).slice(0, 32)}`;
}
