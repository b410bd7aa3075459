import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { Outlook } from "../../desk/index.ts";
import { Args } from "../../ledger/index.ts";
import { definePolicy, evaluate, policyJsonSchema, Tier } from "../../policy/index.ts";
import { assertSees } from "../identity/may.ts";
import { principalOf } from "../identity/principal.ts";
import type { Graphs } from "../graphs/graphs.ts";
import { threadOf } from "../threads/new-thread.ts";
import type { Order } from "../runs/order.ts";
import type { GraphJudgement, JudgePort, NamedPolicy } from "../parts.ts";
import { ServerError } from "../problem.ts";
import type { Threads } from "../threads/threads.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";

const Json = z.record(z.string(), z.unknown());

const list = createRoute({
  ...{ method: "get", path: "/policies", summary: "The named policies" },
  responses: {
    200: jsonAnswer(
      z.object({ policies: z.array(z.object({ name: z.string(), policy: Json })) }),
      "All of them.",
    ),
    default: problemAnswer,
  },
});

const schema = createRoute({
  ...{ method: "get", path: "/policies/schema", summary: "The JSON Schema of a policy" },
  responses: { 200: jsonAnswer(Json, "Draft 2020-12."), default: problemAnswer },
});

const Call = z.object({ tool: z.string().min(1).max(200), args: Args });

const Question = z
  .object({
    tool: Call.shape.tool.optional(),
    args: Args.optional(),
    calls: z
      .array(Call)
      .min(1)
      .max(100)
      .optional()
      .describe(
        "A whole turn in place of `tool` and `args`: what one call would take is gone for those behind it.",
      ),
    policy: z
      .union([z.string(), Json])
      .optional()
      .describe("A named policy, or a whole one. Default: the graph's own."),
    graph_id: z.string().optional().describe("Judge as this graph's gate does, which knows its tools."),
    thread_id: ThreadId.optional().describe(
      "Judge as on this thread: by its graph, under what its run began with.",
    ),
  })
  .meta({ id: "PolicyQuestion" });

const Judged = z.object({
  verdict: z.object({ tier: Tier, rules: z.array(z.string()), why: z.string() }).meta({ id: "Verdict" }),
  outlook: Outlook.optional().describe(
    "What would come of it now, by what is remembered and counted. Not where only a policy is asked.",
  ),
});

const check = createRoute({
  ...{ method: "post", path: "/policies/check", summary: "What would happen to a call, and why" },
  description: "Judges only; nothing is asked and nothing is run.",
  request: { body: jsonBody(Question, "The call.") },
  responses: {
    200: jsonAnswer(
      Judged.partial().extend({
        calls: z.array(Judged).optional().describe("Of each call, where `calls` were given, in their order."),
      }),
      "The verdict.",
    ),
    default: problemAnswer,
  },
});

/** What these routes work with. Where others run the graphs, `judge` and `ports` know none. */
interface PolicyParts {
  policies: NamedPolicy[];
  judge: JudgePort;
  ports: { threads: Pick<Threads, "get">; graphs: Pick<Graphs, "assertServed"> };
}

/** Policies: which there are, how they are written, and what they would say. */
export function policyRoutes(app: OpenAPIHono, { policies, judge, ports }: PolicyParts): void {
  app.openapi(list, (c) => c.json({ policies }, 200));
  app.openapi(schema, (c) => c.json(policyJsonSchema(), 200));
  app.openapi(check, async (c) => {
    const { thread_id, ...given } = c.req.valid("json");
    const calls = callsOf(given);
    const policy = policyOf(given.policy);
    const answer = (judged: z.infer<typeof Judged>[]) =>
      c.json(given.calls === undefined ? (judged[0] ?? {}) : { calls: judged }, 200);
    const row = thread_id === undefined ? undefined : await threadOf(ports, thread_id);
    if (row) assertSees(principalOf(c), row);
    const graph_id = given.graph_id ?? row?.graph_id ?? undefined;
    if (graph_id === undefined) {
      if (policy === undefined) throw invalid("Name a policy, a graph or a thread on which a graph ran.");
      const rule = definePolicy(policy);
      return answer(calls.map((call) => ({ verdict: brief(evaluate(rule, call)) })));
    }
    ports.graphs.assertServed(graph_id);
    const context = row?.order_json ? (JSON.parse(row.order_json) as Order).context : undefined;
    const { id: user } = principalOf(c);
    const asked = { user, ...(policy && { policy }), ...(context && { context }) };
    const place = row ? { thread_id: row.thread_id, assistant_id: row.assistant_id ?? null } : {};
    const judged = await judge(graph_id, calls, { ...asked, ...place });
    if (judged === null)
      throw invalid(`The graph "${graph_id}" has no gate of ours, so it can say nothing of a call.`);
    return answer(judged.map(said));
  });

  function policyOf(
    policy: string | Record<string, unknown> | undefined,
  ): Record<string, unknown> | undefined {
    if (typeof policy !== "string") return policy;
    const found = policies.find(({ name }) => name === policy);
    if (found) return found.policy;
    throw invalid(
      `There is no policy "${policy.slice(0, 80)}". There are: ${policies.map(({ name }) => name).join(", ")}.`,
    );
  }
}

function callsOf({ tool, args, calls }: z.infer<typeof Question>): { name: string; args: Args }[] {
  if (calls !== undefined && tool === undefined && args === undefined)
    return calls.map((one) => ({ name: one.tool, args: one.args }));
  if (calls === undefined && tool !== undefined && args !== undefined) return [{ name: tool, args }];
  throw invalid("Give `tool` and `args` of one call, or `calls` of a whole turn.");
}

function said(judgement: GraphJudgement): z.infer<typeof Judged> {
  if (judgement.kind === "invalid") throw invalid(judgement.message);
  return { verdict: brief(judgement.verdict), outlook: judgement.outlook };
}

function brief({ tier, rules, why }: { tier: Tier; rules: string[]; why: string }) {
  return { tier, rules, why };
}

function invalid(message: string): ServerError {
  return new ServerError("invalid_request", message);
}
