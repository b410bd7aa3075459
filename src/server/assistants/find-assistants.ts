import { matches } from "../threads/matches.ts";
import type { Assistant } from "./assistant.ts";

/** Which assistants are asked for. */
export interface AssistantFilter {
  graph_id?: string | null | undefined;
  /** A part of the name, in capitals or not. */
  name?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

export const SORT_KEYS = ["assistant_id", "graph_id", "name", "created_at", "updated_at"] as const;

/** In which order they are listed. Default: the newest first. */
export interface AssistantOrder {
  sort_by?: (typeof SORT_KEYS)[number] | null | undefined;
  sort_order?: "asc" | "desc" | null | undefined;
}

export function filterAssistants(all: readonly Assistant[], filter: AssistantFilter): Assistant[] {
  const name = filter.name?.toLowerCase() ?? "";
  return all.filter(
    (one) =>
      (filter.graph_id ?? one.graph_id) === one.graph_id &&
      one.name.toLowerCase().includes(name) &&
      matches(one.metadata, filter.metadata ?? {}),
  );
}

export function sortAssistants(
  all: readonly Assistant[],
  { sort_by, sort_order }: AssistantOrder,
): Assistant[] {
  const key = sort_by ?? "created_at";
  const sign = sort_order === "asc" ? 1 : -1;
  const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
  return all.toSorted(
    (one, other) => sign * compare(one[key], other[key]) || compare(one.assistant_id, other.assistant_id),
  );
}
