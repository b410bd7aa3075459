import { assistantIdOf } from "../graphs/graphs.ts";

/** What a version of an assistant says: which graph, and what its runs begin with. */
export interface Saying {
  graph_id: string;
  name: string;
  description: string | null;
  config: Record<string, unknown>;
  context: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** A version of an assistant as the LangGraph API shows it. */
export interface AssistantVersion extends Saying {
  assistant_id: string;
  version: number;
  created_at: string;
}

/** An assistant as the LangGraph API shows it: the version of it that counts. */
export interface Assistant extends AssistantVersion {
  updated_at: string;
}

/** The assistant that each graph has by itself. It adds nothing to the graph. */
export function systemAssistant(graph_id: string, at: string): Assistant {
  return {
    ...{ assistant_id: assistantIdOf(graph_id), graph_id, name: graph_id, description: null },
    ...{ config: {}, context: {}, metadata: { created_by: "system" } },
    ...{ version: 1, created_at: at, updated_at: at },
  };
}
