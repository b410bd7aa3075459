import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isInteropZodSchema } from "@langchain/core/utils/types";
import { z } from "zod";
import type { ToolFacts } from "../policy/index.ts";
import { riskOf, type Risk } from "./with-risk.ts";

export type Tool = StructuredToolInterface;
type JsonSchema = Record<string, unknown>;

/** A tool with all that is known about it beside how to run it. */
export interface ShelvedTool {
  tool: Tool;
  risk: Risk | undefined;
  /** Whether it may run again without harm: declared read-only or idempotent, or so by its MCP annotations. */
  is_safe: boolean;
  schema: JsonSchema | null;
  annotations: ToolFacts["annotations"];
}

/** The tools of one node, by name. @throws {TypeError} on two tools of one name. */
export function shelve(tools: readonly Tool[]): ReadonlyMap<string, ShelvedTool> {
  const shelf = new Map<string, ShelvedTool>();
  for (const tool of tools) {
    if (shelf.has(tool.name)) throw new TypeError(`Two tools are named "${tool.name}". Rename one of them.`);
    const risk = riskOf(tool);
    const annotations = annotationsOf(tool);
    shelf.set(tool.name, {
      tool,
      risk,
      annotations,
      is_safe: isSafe(risk, annotations),
      schema: schemaOf(tool),
    });
  }
  return shelf;
}

/** What policy may know of a tool that is called with these arguments. */
export function factsOf(
  { tool, risk, annotations, schema }: ShelvedTool,
  args: Record<string, unknown>,
): ToolFacts {
  const fields = fieldsOf(schema);
  return {
    name: tool.name,
    ...(risk && { declared: declaredTier(risk, args) }),
    ...(annotations && { annotations }),
    ...(fields && { fields }),
  };
}

/** The facts of a tool whatever its arguments, for checking a policy. A tier that depends on them counts as `approve`. */
export function generalFacts(shelf: ReadonlyMap<string, ShelvedTool>): ToolFacts[] {
  return [...shelf.values()].map((one) => {
    const { risk } = one;
    const facts = factsOf({ ...one, risk: undefined }, {});
    return risk
      ? { ...facts, declared: typeof risk.tier === "function" ? ("approve" as const) : risk.tier }
      : facts;
  });
}

/** A risk function that throws, or answers with something else than a tier, counts as `approve`. */
function declaredTier(risk: Risk, args: Record<string, unknown>): NonNullable<ToolFacts["declared"]> {
  if (typeof risk.tier !== "function") return risk.tier;
  try {
    const tier = risk.tier(args);
    return ["auto", "suggest", "approve", "deny"].includes(tier) ? tier : "approve";
  } catch {
    return "approve";
  }
}

function isSafe(risk: Risk | undefined, annotations: ToolFacts["annotations"]): boolean {
  if (risk?.readOnly !== undefined || risk?.idempotent !== undefined)
    return Boolean(risk.readOnly ?? risk.idempotent);
  return Boolean(annotations?.readOnlyHint ?? annotations?.idempotentHint);
}

const Annotations = z.object({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

/** MCP annotations, where the adapters of LangChain leave them. */
function annotationsOf(tool: Tool): ToolFacts["annotations"] {
  const { metadata, annotations } = tool as { metadata?: Record<string, unknown>; annotations?: unknown };
  const read = Annotations.safeParse(metadata?.["annotations"] ?? annotations);
  if (!read.success) return undefined;
  return Object.fromEntries(Object.entries(read.data).filter(([, hint]) => hint !== undefined));
}

function schemaOf(tool: Tool): JsonSchema | null {
  const { schema } = tool as { schema?: unknown };
  if (schema === undefined || schema === null) return null;
  try {
    if (schema instanceof z.ZodType) return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    return (isInteropZodSchema(schema) ? toJsonSchema(schema) : schema) as JsonSchema;
  } catch {
    return null;
  }
}

function fieldsOf(schema: JsonSchema | null): string[] | undefined {
  const properties = schema?.["properties"];
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : undefined;
}
