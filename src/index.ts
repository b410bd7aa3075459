export { createApprovalAgent } from "./graph/approval-agent.ts";
export {
  announceHost,
  ApprovalRequiredError,
  AsksSpentError,
  approveAll,
  createToolNode,
  decide,
  modelReviewer,
  rejectAll,
  scriptedReviewer,
  withRisk,
} from "./graph/index.ts";
export { DeskError, openDesk } from "./desk/index.ts";
export { LedgerError, openLedger } from "./ledger/index.ts";
export {
  combine,
  definePolicy,
  evaluate,
  explain,
  lintPolicy,
  parseOverlay,
  PolicyError,
  policyJsonSchema,
} from "./policy/index.ts";
export { assertProviderValid, ModelError, rehearsalModel, scriptedModel } from "./models/index.ts";
export { seedWorkspace, workspaceTools } from "./tools/index.ts";
export { openStore } from "./server/index.ts";
export { createApprovalRoutes } from "./mount.ts";
export { createServer } from "./wire.ts";

export type { ApprovalRoutesOptions } from "./mount.ts";
export type {
  Answer,
  ApprovalAgentOptions,
  ApprovalGraph,
  CallArtifact,
  GatedState,
  GatedTools,
  Host,
  ModelReviewerOptions,
  Reviewer,
  ReviewerAnswer,
  ReviewRequest,
  RiskOptions,
  RiskTier,
  ToolNodeOptions,
} from "./graph/index.ts";
export type { Desk, DeskErrorCode, DeskPorts, Settled, ThreadMode } from "./desk/index.ts";
export type {
  Approval,
  ApprovalQuery,
  ApprovalStatus,
  Decision,
  EventQuery,
  Grant,
  ErasedEvent,
  Ledger,
  LedgerErrorCode,
  LedgerEvent,
  Outcome,
  RecordedEvent,
  Verification,
} from "./ledger/index.ts";
export type {
  Facts,
  Finding,
  Mode,
  Policy,
  PolicyInput,
  PolicyOverlay,
  Tier,
  ToolFacts,
  Verdict,
} from "./policy/index.ts";
export type { CountersignServer, NoticeOptions, ServerOptions } from "./wire.ts";
export type { ScriptedModelOptions, Step } from "./models/index.ts";
export type { WorkspaceToolsOptions } from "./tools/index.ts";
