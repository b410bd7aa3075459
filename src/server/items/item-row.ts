import type { Item } from "@langchain/langgraph-checkpoint";
import { labelsOf } from "./namespace.ts";

/** One item as it is kept. Times are ISO 8601 in UTC. */
export interface ItemRow {
  /** The labels, joined by dots, which no label holds. */
  namespace: string;
  key: string;
  value_json: string;
  created_at: string;
  updated_at: string;
  /** How long it lives after it was written, and until when; `null`: for good. */
  ttl_minutes: number | null;
  expires_at: string | null;
}

export interface ItemTables {
  server_items: ItemRow;
}

/** An item as LangGraph's stores hand it out. */
export function itemOf({ namespace, key, value_json, created_at, updated_at }: ItemRow): Item {
  return {
    value: JSON.parse(value_json) as Record<string, unknown>,
    key,
    namespace: labelsOf(namespace),
    createdAt: new Date(created_at),
    updatedAt: new Date(updated_at),
  };
}
