import { z } from "zod";
import { Mode, Tier } from "../policy/index.ts";
import { approvalPayloads, ofCall } from "./approval-events.ts";
import { Args, DecidedBy } from "./decision.ts";
import { GrantMade } from "./grant.ts";
import { hasPeople } from "./people.ts";
import { ReviewerAnswered } from "./reviewer-answer.ts";

export { ApprovalKind, ApprovalStatus } from "./approval-events.ts";

/** How a call ended for the model. */
export const Outcome = z
  .enum([
    "done", // It ran and gave a result.
    "failed", // It ran and threw.
    "unknown", // It started, and whether it took effect cannot be told.
    "rejected",
    "responded",
    "expired",
    "cancelled",
    "unavailable",
    "denied",
    "invalid", // Never judged: unknown tool, or arguments that the tool's schema refuses.
    "handed_over", // A graph's own question: the decision was given to the graph, and what it did is its own matter.
  ])
  .meta({ id: "Outcome" });
export type Outcome = z.infer<typeof Outcome>;

/** What allows an execution: a verdict up to `suggest`, or a standing approval of this very call. */
export const Authority = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verdict"), tier: z.enum(["auto", "suggest"]), rules: z.array(z.string()) }),
  z.object({ kind: z.literal("approval"), approval_id: z.string() }),
]);
export type Authority = z.infer<typeof Authority>;

const payloads = {
  tool_call_started: z.object({
    ...ofCall,
    turn_id: z.string(),
    args: Args,
    args_digest: z.string(),
    tier: Tier,
    rules: z.array(z.string()),
    why: z.string(),
    /** The tier that the call would have without the rules; left out where that is its tier. */
    base: Tier.optional(),
    /** The checkpoint namespace of the graph that made the call; empty for the root graph. */
    path: z.string(),
    graph_id: z.string().nullable(),
    assistant_id: z.string().nullable(),
    policy_digest: z.string(),
    /** Who asked for the run, as a server with identities knows. */
    requested_by: z.string().optional(),
    /** The masks of the policy, such as `**.authorization`: they hide arguments of this call, also after an edit. */
    mask: z.array(z.string()).optional(),
    /** Those masks that only overlays have, and not the base policy: they hide nothing from who decides. */
    mask_added: z.array(z.string()).optional(),
  }),
  ...approvalPayloads,
  reviewer_answered: ReviewerAnswered,
  execution_started: z.object({
    ...ofCall,
    attempt: z.number().int().positive(),
    args: Args,
    args_digest: z.string(),
    authority: Authority,
    owner: z.string(),
    is_safe: z.boolean(),
  }),
  execution_paused: z.object({ ...ofCall, attempt: z.number() }),
  execution_resumed: z.object({ ...ofCall, attempt: z.number(), owner: z.string() }),
  execution_finished: z.object({
    ...ofCall,
    attempt: z.number(),
    state: z.enum(["succeeded", "failed", "unknown"]),
    error: z.string().nullable(),
  }),
  /** An approval that will not run: it was edited into something that needs a new question, or policy grew stricter. */
  execution_blocked: z.object({
    ...ofCall,
    approval_id: z.string(),
    error: z.string(),
    next_approval_id: z.string().nullable(),
  }),
  tool_result: z.object({
    ...ofCall,
    ok: z.boolean(),
    outcome: Outcome,
    result: z.string().optional(),
    error: z.string().optional(),
    denied: z.literal(true).optional(),
  }),
  run_started: z.object({
    graph_id: z.string().nullable(),
    assistant_id: z.string().nullable(),
    cause: z.string(),
  }),
  run_stopped: z.object({ status: z.string(), error: z.string().nullable(), usage: z.unknown().optional() }),
  /** What the thread's events before this one held is gone; their digests stay. Written by `Ledger.erase` alone. */
  /** A decision is remembered. */
  grant_made: GrantMade.extend(ofCall),
  grant_revoked: z.object({ grant_id: z.string(), by: DecidedBy, reason: z.string().optional() }),
  /** The thread has a mode of its own, or another one. */
  mode_set: z.object({ mode: Mode, by: DecidedBy }),
  thread_erased: z.object({ events: z.number().int().positive(), by: DecidedBy }),
};

export type EventType = keyof typeof payloads;

/** Something that happened, not yet written. */
export type NewEvent = { [T in EventType]: { type: T; data: z.infer<(typeof payloads)[T]> } }[EventType];

/** The newest version of events that is written and read. */
export const EVENT_VERSION = 5;

/** The version in which an event is written: the oldest that can say it, so that older packages read all they can. */
export function versionOf({ type, data }: NewEvent): number {
  const isFifth =
    type === "vote_cast" ||
    type === "approval_escalated" ||
    type === "approval_warned" ||
    type === "reviewer_answered" ||
    // An older package would ask people where a thread's own mode says to ask nobody.
    type === "mode_set" ||
    // An older package would take anybody's word for such a call, or one person's for that of several.
    ((type === "approval_requested" || type === "grant_made") && hasPeople(data)) ||
    // It would tell people of it at once. What is taken says nothing of the question, and older packages open no store
    // that counts it, so that alone leaves the version as it is.
    (type === "approval_requested" && data.quiet_until !== undefined);
  if (isFifth) return 5;
  if (type === "grant_made" || type === "grant_revoked") return 4;
  // An older package would show what is to be hidden, and take what was erased for tampered with.
  const isThird =
    type === "thread_erased" ||
    (type === "tool_call_started" && (data.mask !== undefined || data.requested_by !== undefined));
  if (isThird) return 3;
  const isSecond =
    (type === "approval_requested" && data.kind === "interrupt") ||
    (type === "approval_resolved" && "value" in data.decision) ||
    (type === "tool_result" && data.outcome === "handed_over");
  return isSecond ? 2 : 1;
}

/** An event as it stands in the ledger. `seq` counts the whole ledger from 1, `thread_seq` the thread. */
export type LedgerEvent = NewEvent & {
  v: number;
  seq: number;
  thread_seq: number;
  /** ISO 8601 with milliseconds, UTC. */
  at: string;
  thread_id: string;
  run_id: string | null;
  call_id: string | null;
  /** Hash of this event over the one before it in the thread. */
  hash: string;
};

/** An event whose payload was erased with its thread. What it held, its digest and its hash still prove. */
export type ErasedEvent = Omit<LedgerEvent, "type" | "data"> & {
  type: EventType;
  data: null;
  data_digest: string;
};

/** An event as the record has it, with its payload or without. */
export type RecordedEvent = LedgerEvent | ErasedEvent;

/**
 * Reads the payload of a stored event, whatever version it was written in.
 *
 * @throws {NewerEventError} when a later version of this package wrote it.
 */
export function readPayload(type: string, v: number, data: unknown): NewEvent {
  if (v > EVENT_VERSION || !isEventType(type)) throw new NewerEventError(type, v);
  return { type, data: payloads[type].parse(data) } as NewEvent;
}

export class NewerEventError extends Error {
  readonly code = "newer_event";
  constructor(type: string, v: number) {
    super(
      `The ledger holds an event "${type}" of version ${v}; this version of countersign reads up to ${EVENT_VERSION}. Update countersign.`,
    );
    this.name = "NewerEventError";
  }
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(payloads, type);
}

/** The event as clients see it: the envelope and the payload in one object. */
export function wireEvent(event: RecordedEvent): Record<string, unknown> {
  const { v, seq, at, thread_id, run_id, type, data } = event;
  const envelope = { v, seq, at, thread_id, run_id, type };
  return data === null
    ? { ...envelope, erased: true, data_digest: event.data_digest }
    : { ...envelope, ...data };
}
