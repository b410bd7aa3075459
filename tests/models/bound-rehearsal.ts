import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { rehearsalModel } from "../../src/models/index.ts";

const ALL = [
  "list_files",
  "read_file",
  "write_file",
  "move_file",
  "delete_file",
  "run_shell",
  "sql_query",
  "http_request",
];

/** The rehearsal model with tools of these names. */
export function bound(names: string[] = ALL) {
  const tools = names.map((name) => tool(() => "", { name, description: name, schema: z.object({}) }));
  return rehearsalModel().bindTools(tools);
}
