import { messagesStateReducer } from "@langchain/langgraph";
import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getStateTypeSchema,
} from "@langchain/langgraph/zod/schema";
import { z } from "zod";

type JsonSchema = Record<string, unknown>;

/** JSON Schemas of what goes into a graph and comes out; `null` where the graph declares nothing. */
export interface GraphSchemas {
  input_schema: JsonSchema | null;
  output_schema: JsonSchema | null;
  state_schema: JsonSchema | null;
  context_schema: JsonSchema | null;
}

/** What is read of a compiled graph, of whatever kind. All of it may be missing. */
interface Inside {
  builder?: {
    _schemaRuntimeDefinition?: unknown;
    _inputRuntimeDefinition?: unknown;
    _outputRuntimeDefinition?: unknown;
    _configRuntimeSchema?: unknown;
  };
  channels?: Record<string, unknown>;
  streamChannels?: unknown;
  outputChannels?: unknown;
  getSubgraphs?: (namespace?: string, recurse?: boolean) => Iterable<[string, unknown]>;
}

/** The schemas of a compiled graph, read from the graph itself. */
export function schemasOf(graph: unknown): GraphSchemas {
  const inside = graph as Inside;
  const { builder = {} } = inside;
  const state = builder._schemaRuntimeDefinition;
  const messages = messageFields(inside);
  const input = read(() => getInputTypeSchema(graph), [builder._inputRuntimeDefinition, state], messages);
  const output = read(() => getOutputTypeSchema(graph), [builder._outputRuntimeDefinition], messages);
  const all = namedFields(inside.streamChannels, messages);
  return {
    input_schema: optional(input) ?? all,
    output_schema: output ?? namedFields(inside.outputChannels, messages),
    state_schema: read(() => getStateTypeSchema(graph), [state], messages) ?? all,
    context_schema: read(() => getConfigTypeSchema(graph), [builder._configRuntimeSchema], {}),
  };
}

/** Whether a gate of ours reads `policy` and `mode` from the context: that of the graph, or of one in it. */
export function readsPolicy(graph: unknown): boolean {
  const inside = graph as Inside;
  if (isGate(inside)) return true;
  return [...(inside.getSubgraphs?.(undefined, true) ?? [])].some(([, inner]) => isGate(inner as Inside));
}

/** The channel in which a gate keeps the overlays of a turn is in no other graph. */
function isGate({ channels }: Inside): boolean {
  return channels !== undefined && "approval_overlays" in channels;
}

/**
 * A schema as LangGraph writes it. One that it cannot, since JSON has no word for some part of it, is written here
 * without that part.
 */
function read(write: () => unknown, definitions: unknown[], messages: JsonSchema): JsonSchema | null {
  try {
    return (write() as JsonSchema | undefined) ?? null;
  } catch {
    const definition = definitions.find((one) => one instanceof z.core.$ZodType);
    if (!definition) return null;
    const schema: JsonSchema = z.toJSONSchema(definition, { unrepresentable: "any" });
    return { ...schema, properties: { ...(schema["properties"] as JsonSchema | undefined), ...messages } };
  }
}

/** An input may leave out any field. */
function optional(schema: JsonSchema | null): JsonSchema | null {
  if (schema === null) return null;
  const { required: _, ...rest } = schema;
  return rest;
}

/** The fields that hold messages, known by their reducer. */
function messageFields({ channels = {} }: Inside): JsonSchema {
  const found = Object.entries(channels).filter(
    ([, channel]) => (channel as { operator?: unknown }).operator === messagesStateReducer,
  );
  return Object.fromEntries(found.map(([name]) => [name, { langgraph_type: "messages" }]));
}

/** Of a graph whose state is no schema at all, the names of its fields are known. */
function namedFields(names: unknown, messages: JsonSchema): JsonSchema | null {
  const fields = [names].flat().filter((name): name is string => typeof name === "string");
  const own = fields.filter((name) => !name.startsWith("__"));
  if (own.length === 0) return null;
  return { type: "object", properties: Object.fromEntries(own.map((name) => [name, messages[name] ?? {}])) };
}
