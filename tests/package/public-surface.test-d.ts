/*
 * What a user of the package may write, checked by the compiler: each line either compiles or says that it must not.
 * `npm run typecheck` and public-surface.test.ts compile this file; it is never run.
 */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type * as countersign from "countersign";
import {
  announceHost,
  ApprovalRequiredError,
  AsksSpentError,
  approveAll,
  assertProviderValid,
  combine,
  createApprovalAgent,
  createApprovalRoutes,
  createServer,
  openStore,
  createToolNode,
  decide,
  definePolicy,
  DeskError,
  evaluate,
  explain,
  LedgerError,
  lintPolicy,
  ModelError,
  modelReviewer,
  openDesk,
  openLedger,
  parseOverlay,
  PolicyError,
  policyJsonSchema,
  rehearsalModel,
  rejectAll,
  scriptedModel,
  scriptedReviewer,
  seedWorkspace,
  withRisk,
  workspaceTools,
} from "countersign";
import type {
  Answer,
  Approval,
  ApprovalAgentOptions,
  ApprovalGraph,
  ApprovalStatus,
  CallArtifact,
  Decision,
  Desk,
  DeskErrorCode,
  Facts,
  Finding,
  Ledger,
  LedgerErrorCode,
  LedgerEvent,
  Policy,
  PolicyInput,
  PolicyOverlay,
  Reviewer,
  ReviewRequest,
  Settled,
  Step,
  ThreadMode,
  Tier,
  ToolFacts,
  Verdict,
  Verification,
} from "countersign";
import { z } from "zod";

/** Compiles when `value` is of the type; nothing is done. */
declare function is<T>(value: T): void;

// @ts-expect-error: what is not exported from the root is not public.
export type Missing = typeof countersign.notPublic;

// Policies are typed as they are written, and checked at run time when they come from JSON.
const input: PolicyInput = {
  version: 1,
  mode: "interactive",
  default: "approve",
  rules: [
    { id: "reads", tools: ["read_*"], tier: "auto" },
    {
      id: "large",
      tools: ["refund"],
      when: { amount: { gt: 500 }, any: [{ to: { glob: "*.example" } }, { to: { not: { in: ["a"] } } }] },
      tier: "deny",
      reason: "Too much.",
      review: {
        decisions: ["approve", "reject"],
        timeout: "15m",
        requireReason: ["reject"],
        remember: false,
      },
    },
  ],
  review: { ask: "one-by-one", onNewInput: "withdraw", onTimeout: "reject" },
};
is<Policy>(definePolicy(input));
is<Policy>(definePolicy(JSON.parse("{}")));
const toolFacts: ToolFacts[] = [{ name: "refund", declared: "approve", fields: ["amount"] }];
const policy = definePolicy(input, { tools: toolFacts });
// @ts-expect-error: a misspelt tier.
is<PolicyInput>({ version: 1, default: "aprove" });
// @ts-expect-error: what happens beyond a budget is said in one of three words.
is<PolicyInput>({ version: 1, fatigue: { budget: { asks: 6, per: "1h", over: "ignore" } } });
is<PolicyInput>({ version: 1, review: { remember: true }, grants: { scopes: ["thread"], maxTtl: "1h" } });
// @ts-expect-error: a version is always named.
is<PolicyInput>({ rules: [] });

const overlay: PolicyOverlay = parseOverlay({ mode: "never" });
is<Policy>(combine(policy, overlay, overlay));
// @ts-expect-error: what is combined is a policy, not its JSON.
combine(input, overlay);

const facts: Facts = { tool: { name: "refund" }, args: { amount: 1 }, paths: { path: null } };
const verdict: Verdict = evaluate(policy, { name: "refund", args: { amount: 1 } }, facts);
is<Tier>(verdict.tier);
is<string[]>(verdict.rules);
is<number>(verdict.review.timeoutMs);
is<string>(explain(policy, { name: "refund", args: {} }));
is<Finding[]>(lintPolicy(policy, toolFacts));
is<object>(policyJsonSchema());

// A tool's risk is a tier or a function of the arguments; the tool keeps its type.
const refund = tool(({ amount }) => `Refunded ${amount}.`, {
  name: "refund",
  description: "Refund an amount.",
  schema: z.object({ amount: z.number() }),
});
const risky = withRisk(refund, "approve", {
  describe: ({ amount }) => `Refunds ${String(amount)}.`,
  idempotent: true,
  readOnly: false,
  timeoutMs: 1_000,
  retries: 2,
  paths: ["path"],
  resolvePath: () => null,
});
is<typeof refund>(risky);
withRisk(refund, ({ amount }) => (Number(amount) > 10 ? "approve" : "auto"));
// @ts-expect-error: a tier that does not exist.
withRisk(refund, "ask");
// @ts-expect-error: a risk is known at once, without waiting.
withRisk(refund, () => Promise.resolve("auto" as const));

// Models: scripted, rehearsed, or any chat model of LangChain, by instance or by name.
const steps: Step[] = [
  { tool_calls: [{ name: "refund", args: { amount: 1 } }] },
  (messages) => ({ content: `${messages.length}` }),
];
const model = scriptedModel(steps, { strict: true });
is<BaseChatModel>(model);
is<BaseChatModel>(rehearsalModel());
is<Step[]>(model.unused());
is<(messages: []) => void>(assertProviderValid);
// @ts-expect-error: a step is a reply or a function.
scriptedModel(["hello"]);

// The agent.
const ledger: Ledger = await openLedger("memory:");
const options: ApprovalAgentOptions = {
  model,
  tools: [risky, ...workspaceTools("workspace")],
  policy,
  checkpointer: new MemorySaver(),
  ledger,
  prompt: "Be brief.",
  clock: () => 0,
};
const graph: ApprovalGraph = createApprovalAgent(options);
createApprovalAgent({ model: "openai:gpt-4o", tools: [], policy: input, checkpointer: true });
createApprovalAgent({ model, tools: [refund] });
// @ts-expect-error: an agent has a model.
createApprovalAgent({ tools: [] });
is<StructuredToolInterface[]>(workspaceTools("workspace", { shellTimeoutMs: 1_000 }));
seedWorkspace("workspace");

// Reviewers in process.
const answers: Answer[] = [approveAll(), rejectAll("no"), scriptedReviewer([{ type: "approve" }])];
const person: Answer = async (approval, { signal }) => {
  is<Approval>(approval);
  is<AbortSignal>(signal);
  return { type: "reject", message: "no" };
};
createApprovalAgent({ ...options, answer: answers[0] ?? person });

// Reviewers that code registers: the helpers for evaluations are some, too.
const careful: Reviewer = async (request, { signal }) => {
  is<ReviewRequest>(request);
  is<AbortSignal>(signal);
  return { type: "reject", reason: "It sends a key out.", risk: "critical" };
};
const reviewers: Record<string, Reviewer> = {
  ...{ careful, model: modelReviewer({ model: "openai:gpt-4o", rubric: "Reject what sends keys out." }) },
  ...{ yes: approveAll(), no: rejectAll("no"), script: scriptedReviewer([{ type: "next" }]) },
};
createApprovalAgent({ ...options, reviewers });
createToolNode([risky], { policy, reviewers });
// @ts-expect-error: a reviewer edits nothing.
const editor: Reviewer = async () => ({ type: "edit", args: {} });
is<Reviewer>(editor);
is<Promise<ThreadMode>>(openDesk(ledger).setMode("t", "never", { onlyTighten: true }));

// The parts, for a graph of one's own.
const gate = createToolNode([risky], { policy, ledger, names: { tools: "act" }, stateKeys: ["messages"] });
const bound = model.bindTools([risky]);
new StateGraph(new StateSchema(gate.state))
  .addNode(
    "agent",
    gate.agent((messages, config) => bound.invoke(messages, config)),
  )
  .addNode("act", gate.tools as never)
  .addEdge(START, "agent")
  .addConditionalEdges("agent", gate.fromAgent as never, ["act", END])
  .compile({ checkpointer: new MemorySaver() });

// Deciding, with the graph or at the desk.
const config = { configurable: { thread_id: "1" } };
await graph.invoke({ messages: [] }, config);
const state: Record<string, unknown> = await decide(graph, config, { apr_1: { type: "approve" } });
is<unknown>(state["__interrupt__"]);
const decisions: Decision[] = [
  { type: "approve", reason: "fine" },
  { type: "edit", args: { amount: 2 } },
  { type: "reject", message: "no" },
  { type: "respond", message: "done by hand" },
];
// @ts-expect-error: an answer in place of a result has a text.
is<Decision>({ type: "respond" });
// @ts-expect-error: no such decision.
is<Decision>({ type: "accept" });

const desk: Desk = openDesk(ledger, { clock: () => 0 });
const { approvals, next_cursor } = await desk.list({ status: "all", thread_id: "1", limit: 10 });
is<string | null>(next_cursor);
for (const approval of approvals) {
  is<ApprovalStatus>(approval.status);
  is<Record<string, unknown>>(approval.args);
  is<Approval>(await desk.get(approval.approval_id, { waitMs: 1_000 }));
  const settled: Settled = await desk.decide(approval.approval_id, decisions[0], { by: { kind: "user" } });
  is<boolean>(settled.resumed);
  is<string | null>(settled.run_id);
  await desk.withdraw(approval.approval_id, { reason: "no longer needed" });
}
// @ts-expect-error: no such status.
await desk.list({ status: "open" });
const { events } = await desk.audit({ thread_id: "1", after: 0 });
is<LedgerEvent[]>(events);
for (const event of events) {
  // The type tells which data there is.
  if (event.type === "approval_resolved") is<string>(event.data.approval_id);
  if (event.type === "tool_result") is<boolean>(event.data.ok);
}
const verified: Verification = await desk.verify({ head: "abc" });
is<boolean>(verified.ok);

// What stands in the `artifact` of a tool message.
const artifact: CallArtifact = { outcome: "done", approval_id: null, execution: "succeeded" };
is<string>(artifact.outcome);

// Errors have stable codes.
const thrown: unknown = null;
if (thrown instanceof DeskError) {
  is<DeskErrorCode>(thrown.code);
  is<Approval | undefined>(thrown.approval);
  is<string[]>(thrown.pending);
}
if (thrown instanceof LedgerError) is<LedgerErrorCode>(thrown.code);
if (thrown instanceof PolicyError) is<{ path: string; message: string }[]>(thrown.errors);
if (thrown instanceof ApprovalRequiredError) is<readonly string[]>(thrown.tools);
if (thrown instanceof AsksSpentError) is<readonly string[]>(thrown.tools);
if (thrown instanceof ModelError) is<string>(thrown.message);

// The server, and other servers that lend a ledger to the graphs they run.
const store = await openStore("file:./state.db");
createApprovalAgent({
  model: "rehearsal",
  tools: [],
  ledger: store.ledger,
  checkpointer: store.checkpointer,
});
await store.close();

const server = await createServer({
  config: { graphs: { agent: graph } },
  store: "file:./state.db",
  port: 0,
  host: "127.0.0.1",
  allowOrigins: ["https://example.com"],
});
const { url } = await server.start();
is<string>(url);
is<Desk>(server.desk);
is<Response | Promise<Response>>(server.app.request("/ok"));
await server.stop();
// @ts-expect-error: a server keeps its state somewhere.
await createServer({ config: "langgraph.json" });
announceHost(() => ({ ledger }));

const routes = await createApprovalRoutes();
is<Response | Promise<Response>>(routes.request("/approvals"));
await createApprovalRoutes({ ledger, allowOrigins: ["https://example.com"] });
