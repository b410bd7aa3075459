import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
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

const Question = z
  .object({
    tool: z.string().min(1).max(200),
    args: Args,
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

const check = createRoute({
  ...{ method: "post", path: "/policies/check", summary: "What would happen to a call, and why" },
  description: "Judges only; nothing is asked and nothing is run.",
  request: { body: jsonBody(Question, "The call.") },
  responses: {
    200: jsonAnswer(
      z.object({
        verdict: z
          .object({ tier: Tier, rules: z.array(z.string()), why: z.string() })
          .meta({ id: "Verdict" }),
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
    const { tool, args, thread_id, ...given } = c.req.valid("json");
    const call = { name: tool, args };
    const policy = policyOf(given.policy);
    const row = thread_id === undefined ? undefined : await threadOf(ports, thread_id);
    if (row) assertSees(principalOf(c), row);
    const graph_id = given.graph_id ?? row?.graph_id ?? undefined;
    if (graph_id === undefined) {
      if (policy === undefined) throw invalid("Name a policy, a graph or a thread on which a graph ran.");
      return c.json({ verdict: brief(evaluate(definePolicy(policy), call)) }, 200);
    }
    ports.graphs.assertServed(graph_id);
    const context = row?.order_json ? (JSON.parse(row.order_json) as Order).context : undefined;
    const judgement = await judge(graph_id, call, { ...(policy && { policy }), ...(context && { context }) });
    return c.json({ verdict: verdictOf(judgement, graph_id) }, 200);
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

function verdictOf(judgement: GraphJudgement | null, graph_id: string) {
  if (judgement === null)
    throw invalid(`The graph "${graph_id}" has no gate of ours, so it can say nothing of a call.`);
  if (judgement.kind === "invalid") throw invalid(judgement.message);
  return brief(judgement.verdict);
}

function brief({ tier, rules, why }: { tier: Tier; rules: string[]; why: string }) {
  return { tier, rules, why };
}

function invalid(message: string): ServerError {
  return new ServerError("invalid_request", message);
}
