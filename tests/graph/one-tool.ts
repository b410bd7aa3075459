import { tool } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { withRisk, type RiskOptions, type RiskTier } from "../../src/graph/index.ts";
import { bench, call, type BenchOptions } from "./harness.ts";

export type Body = (
  args: Record<string, unknown>,
  config: LangGraphRunnableConfig & Record<string, unknown>,
) => unknown;

/** A bench whose only tool, "act", does what `body` says. */
export function withTool(
  body: Body,
  options: BenchOptions & { tier?: RiskTier; risk?: RiskOptions; format?: string } = {},
) {
  const { tier = "auto", risk = {}, format, ...rest } = options;
  const act = tool(body as never, {
    name: "act",
    description: "Acts.",
    schema: z.object({ n: z.number().default(1) }),
    ...(format !== undefined && { responseFormat: format }),
  });
  return bench([{ tool_calls: [call("act", {}, "c1")] }, { content: "done" }], {
    tools: [withRisk(act as never, tier, risk)],
    ...rest,
  });
}
