import { z } from "@hono/zod-openapi";
import { SORT_KEYS } from "./find-assistants.ts";

const Json = z.record(z.string(), z.unknown());

const GraphId = z.string().min(1).max(100).describe("A graph's name.");
const Name = z.string().max(1_000).describe("For people. Default: the graph's name.");
const Description = z.string().max(10_000);
const Context = Json.describe("What the graph's context begins with. A policy in it can only tighten.");
const Metadata = Json.describe("Whatever the client wants to find it by.");

const Config = z
  .looseObject({
    configurable: Json.nullish(),
    tags: z.array(z.string()).nullish(),
    metadata: Json.nullish(),
    recursion_limit: z.number().int().min(1).max(10_000).nullish(),
  })
  .meta({ id: "AssistantConfig" });

/** How a client names an assistant in an address. */
export const params = z.object({
  assistant_id: z.string().min(1).max(200).describe("The assistant's id, or a graph's name."),
});

/** What is shown of one version. */
const shown = {
  ...{ assistant_id: z.string(), graph_id: z.string(), version: z.number().int() },
  ...{ name: z.string(), description: z.string().nullable() },
  ...{ config: Json, context: Json, metadata: Json, created_at: z.string() },
};
export const AssistantVersionSchema = z.looseObject(shown).meta({ id: "AssistantVersion" });
export const AssistantSchema = z.looseObject({ ...shown, updated_at: z.string() }).meta({ id: "Assistant" });

export const CreateBody = z.looseObject({
  assistant_id: z.guid().nullish().describe("A UUID. Default: a new one."),
  graph_id: GraphId,
  config: Config.nullish(),
  context: Context.nullish(),
  metadata: Metadata.nullish(),
  name: Name.nullish(),
  description: Description.nullish(),
  if_exists: z.enum(["raise", "do_nothing"]).nullish().describe("Default: `raise`."),
});

export const UpdateBody = z.looseObject({
  graph_id: GraphId.nullish(),
  config: Config.nullish(),
  context: Context.nullish(),
  metadata: Metadata.nullish().describe("Merged with what there is."),
  name: Name.nullish(),
  description: Description.nullish(),
});

const filter = {
  graph_id: GraphId.nullish(),
  name: z.string().nullish().describe("A part of the name, in capitals or not."),
  metadata: Json.nullish().describe("All of this must be in its metadata."),
};
const page = {
  limit: z.number().int().min(1).max(1_000).nullish().describe("Default: 10."),
  offset: z.number().int().min(0).nullish(),
};

export const CountBody = z.looseObject(filter);

export const SearchBody = z.looseObject({
  ...filter,
  ...page,
  sort_by: z.enum(SORT_KEYS).nullish().describe("Default: `created_at`."),
  sort_order: z.enum(["asc", "desc"]).nullish().describe("Default: `desc`."),
  select: z.array(z.string()).nullish().describe("The members to show. Default: all."),
});

export const VersionsBody = z.looseObject({ metadata: filter.metadata, ...page });

export const LatestBody = z.looseObject({ version: z.number().int().min(1) });

/** What a body states, with `null` for nothing. */
export function statedOf(body: z.infer<typeof UpdateBody>) {
  const { graph_id, config, context, metadata, name, description } = body;
  return {
    ...{ graph_id: graph_id ?? undefined, name: name ?? undefined, description: description ?? undefined },
    ...{ config: config ?? undefined, context: context ?? undefined, metadata: metadata ?? undefined },
  };
}
