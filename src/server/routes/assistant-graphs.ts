import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { params } from "../assistants/schemas.ts";
import { drawGraph, subgraphsOf } from "../graphs/draw-graph.ts";
import type { RunnableGraph } from "../graphs/graphs.ts";
import type { ServerParts } from "../parts.ts";
import { cleanConfigurable } from "../runs/order.ts";
import { jsonAnswer, problemAnswer } from "../schemas.ts";
import { toPlain } from "../to-json.ts";

const JsonSchema = z.record(z.string(), z.unknown()).nullable();

const GraphSchema = z
  .object({
    graph_id: z.string(),
    input_schema: JsonSchema,
    output_schema: JsonSchema,
    state_schema: JsonSchema,
    context_schema: JsonSchema.describe("With `policy` and `mode`, where the graph has a gate."),
    config_schema: JsonSchema.describe("The same as `context_schema`, which it was called before."),
  })
  .meta({ id: "GraphSchema", description: "JSON Schemas; `null` where the graph declares nothing." });

const unknown = {
  404: { description: "`assistant_not_found`, `graph_not_found`" },
  422: { description: "`not_supported`: LangGraph cannot tell the form of this graph." },
  default: problemAnswer,
};

const graph = createRoute({
  ...{ method: "get", path: "/assistants/{assistant_id}/graph", summary: "The graph of an assistant, drawn" },
  request: {
    params,
    query: z.object({
      xray: z
        .string()
        .regex(/^(true|false|\d{1,3})$/, "must be true, false or a depth")
        .optional()
        .describe("Whether to draw the graphs in it, or to which depth."),
    }),
  },
  responses: {
    200: jsonAnswer(
      z.object({
        nodes: z.array(z.looseObject({ id: z.union([z.string(), z.number()]) })),
        edges: z.array(
          z.looseObject({
            source: z.union([z.string(), z.number()]),
            target: z.union([z.string(), z.number()]),
          }),
        ),
      }),
      "Nodes and edges.",
    ),
    ...unknown,
  },
});

const schemas = createRoute({
  ...{ method: "get", path: "/assistants/{assistant_id}/schemas", summary: "The schemas of an assistant" },
  request: { params },
  responses: { 200: jsonAnswer(GraphSchema, "As the graph itself declares them."), ...unknown },
});

const Recurse = z.object({
  recurse: z.enum(["true", "false"]).optional().describe("Also the graphs in those. Default: `false`."),
});
const subgraphsAnswer = {
  200: jsonAnswer(z.record(z.string(), GraphSchema), "Schemas by namespace."),
  ...unknown,
};

const subgraphs = createRoute({
  ...{ method: "get", path: "/assistants/{assistant_id}/subgraphs", summary: "The graphs in an assistant's" },
  request: { params, query: Recurse },
  responses: subgraphsAnswer,
});

const subgraph = createRoute({
  ...{ method: "get", path: "/assistants/{assistant_id}/subgraphs/{namespace}" },
  summary: "The graph at one place in an assistant's",
  request: { params: params.extend({ namespace: z.string().max(500) }), query: Recurse },
  responses: subgraphsAnswer,
});

/** What clients draw of an assistant, and make forms from. */
export function assistantGraphRoutes(app: OpenAPIHono, { assistants, ports, schemasOf }: ServerParts): void {
  const open = async (assistant_id: string): Promise<{ graph_id: string; graph: RunnableGraph }> => {
    const { graph_id, config } = await assistants.resolve(assistant_id);
    const configurable = cleanConfigurable(config["configurable"] as Record<string, unknown> | undefined);
    return { graph_id, graph: await ports.enter(() => ports.graphs.get(graph_id, configurable)) };
  };
  const describe = (graph_id: string, one: RunnableGraph): z.infer<typeof GraphSchema> => {
    const { context_schema, ...others } = schemasOf(one);
    const all = { graph_id, ...others, context_schema, config_schema: context_schema };
    return toPlain(all) as z.infer<typeof GraphSchema>;
  };
  const within = async (assistant_id: string, namespace: string | undefined, recurse: string | undefined) => {
    const { graph_id, graph } = await open(assistant_id);
    const found = await subgraphsOf(graph, namespace, recurse === "true");
    return Object.fromEntries(found.map(([name, inner]) => [name, describe(graph_id, inner)]));
  };

  app.openapi(graph, async (c) => {
    const { xray = "false" } = c.req.valid("query");
    const opened = await open(c.req.valid("param").assistant_id);
    const depth = /^\d/.test(xray) ? Number(xray) : xray === "true";
    return c.json(await drawGraph(opened.graph, depth), 200);
  });

  app.openapi(schemas, async (c) => {
    const opened = await open(c.req.valid("param").assistant_id);
    return c.json(describe(opened.graph_id, opened.graph), 200);
  });

  app.openapi(subgraphs, async (c) => {
    const { recurse } = c.req.valid("query");
    return c.json(await within(c.req.valid("param").assistant_id, undefined, recurse), 200);
  });

  app.openapi(subgraph, async (c) => {
    const { assistant_id, namespace } = c.req.valid("param");
    return c.json(await within(assistant_id, namespace, c.req.valid("query").recurse), 200);
  });
}
