export { Approval, ExecutionView } from "./approval.ts";
export { evolve, lastApproval, lastExecution, type Call, type Execution } from "./call.ts";
export { canonicalJson, digest, sha256 } from "./canonical.ts";
export { CHAIN_START } from "./chain.ts";
export { isOver } from "./clock.ts";
export type { Command, Refusal, Verdicts } from "./command.ts";
export { decide } from "./decide.ts";
export { Args, DecidedBy, Decision, RecordedDecision, Remember, type DecisionType } from "./decision.ts";
export {
  ApprovalKind,
  ApprovalStatus,
  Authority,
  NewerEventError,
  Outcome,
  readPayload,
  versionOf,
  wireEvent,
  type ErasedEvent,
  type EventType,
  type LedgerEvent,
  type NewEvent,
  type RecordedEvent,
} from "./event.ts";
export { EventMasker, type MasksOf } from "./mask-events.ts";
export { hiddenOf, maskApproval, maskEvent, type Hidden } from "./masking.ts";
export { isDeeperThan, MAX_ARGS_DEPTH } from "./depth.ts";
export { Friction, RubberStampTerms } from "./friction.ts";
export { Grant, GrantScope, GrantStatus, type GrantMade } from "./grant.ts";
export { approvalId, callId, turnId, type CallOccurrence } from "./ids.ts";
export {
  LedgerError,
  type Appended,
  type ApprovalQuery,
  type Batch,
  type Erasure,
  type EventQuery,
  type GrantQuery,
  type Lease,
  type Ledger,
  type LedgerErrorCode,
  type Verification,
} from "./ledger.ts";
export { isRestricted } from "./may-decide.ts";
export { isWithin, type Limit, type Take } from "./take.ts";
export { openLedger } from "./open.ts";
export { ReviewRisk } from "./reviewer-answer.ts";
export type { ThreadState } from "./thread-state.ts";
