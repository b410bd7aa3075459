import { digest, type Command } from "../../ledger/index.ts";
import type { Asked, AskedCall } from "./asked.ts";

/** In whose name a question is asked. */
export interface Asker {
  thread_id: string;
  run_id: string | null;
  graph_id: string;
  assistant_id: string;
  /** Who asked for the run; `null` where nobody had to say who they are. */
  requested_by: string | null;
}

/**
 * What opens a question of a graph's own in the ledger. No policy has judged it, no clock answers it, and new input
 * takes its place, as it does in the graph itself.
 */
export function openCommands(
  { graph_id, assistant_id, requested_by }: Asker,
  asked: Asked,
  one: AskedCall,
): Command[] {
  const { tool_call_id, turn_id, approval_id, action } = one;
  const { tool, args, description, allowed_decisions, args_schema } = action;
  const why = `The graph "${graph_id}" asks this by itself, in its node "${asked.node}".`;
  const common = {
    ...{ tool_call_id, tool, turn_id, args },
    args_digest: digest(args),
    tier: "approve" as const,
  };
  return [
    {
      type: "start",
      data: {
        ...common,
        ...{ rules: [], why, path: asked.path, graph_id, assistant_id, policy_digest: "none" },
        ...(requested_by !== null && { requested_by }),
      },
    },
    {
      type: "ask",
      data: {
        ...common,
        ...{ approval_id, kind: "interrupt", round: 1, rules: [], reason: why, description },
        ...{ allowed_decisions, require_reason: [], args_schema, on_new_input: "refuse" },
        ...{ expires_at: null, asked_by: "interrupt", interrupt_id: asked.interrupt_id },
        checkpoint_id: asked.checkpoint_id,
      },
    },
  ];
}
