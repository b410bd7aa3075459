import { z } from "zod";
import { Tier } from "../policy/index.ts";
import { DecidedBy, TestOfArguments } from "./decision.ts";

/** Whose calls a grant is for: those of its thread, of the user who asked, or of everyone. */
export const GrantScope = z.enum(["thread", "user", "everyone"]).meta({ id: "GrantScope" });
export type GrantScope = z.infer<typeof GrantScope>;

/** Which calls of its tool a grant covers. Exact arguments are kept as a digest alone. */
export const GrantMatch = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("exact"), args_digest: z.string() }),
    z.object({ kind: z.literal("tool") }),
    z.object({ kind: z.literal("when"), when: TestOfArguments }),
  ])
  .meta({ id: "GrantMatch" });
export type GrantMatch = z.infer<typeof GrantMatch>;

/** What the ledger keeps of a decision that is remembered. */
export const GrantMade = z.object({
  grant_id: z.string(),
  approval_id: z.string(),
  effect: z.enum(["approve", "reject"]),
  scope: GrantScope,
  /** The thread or the user that it is for; `null`: everyone. */
  subject: z.string().nullable(),
  graph_id: z.string().nullable(),
  assistant_id: z.string().nullable(),
  match: GrantMatch,
  /** What it covers, in words. */
  covers: z.string(),
  /** What the reviewer was told of the call: whatever needs more than that is asked about. */
  tier: Tier,
  rules: z.array(z.string()),
  /** Whose word it was said to need; everybody's where it is left out. */
  by: z.array(z.array(z.string())).optional(),
  separate_duties: z.boolean().optional(),
  /** Of the tool's schema: a changed one is another tool. `null`: it has none. */
  schema_digest: z.string().nullable(),
  granted_by: DecidedBy,
  expires_at: z.string(),
  /** How many calls it decides at most. */
  uses: z.number().int().positive(),
  /** Why, for the model; with a rejection. */
  message: z.string().optional(),
});
export type GrantMade = z.infer<typeof GrantMade>;

/**
 * How a grant stands. `waiting`: the call it was made with has not succeeded yet; `void`: it did not; `ended`: its time or
 * its uses are over.
 */
export const GrantStatus = z
  .enum(["waiting", "active", "void", "revoked", "ended"])
  .meta({ id: "GrantStatus" });
export type GrantStatus = z.infer<typeof GrantStatus>;

/** A remembered decision as lists and clients see it. Times are ISO 8601 in UTC. */
export const Grant = GrantMade.extend({
  tool: z.string(),
  thread_id: z.string().describe("Where it was made."),
  granted_at: z.string(),
  status: GrantStatus,
  uses_left: z.number().int(),
}).meta({ id: "Grant" });
export type Grant = z.infer<typeof Grant>;

/** What a grant's row keeps beside its record, to find it and to count its uses. */
export interface GrantRow {
  grant_id: string;
  call_id: string;
  thread_id: string;
  tool: string;
  scope: string;
  subject: string;
  status: "waiting" | "active" | "void" | "revoked";
  expires_at: string;
  uses: number;
  used: number;
  made_seq: number;
  /** What was made, as JSON, with its time. */
  record: string;
}

/** Stands for everyone in a row. */
export const EVERYONE = "";

/** The grant of a row, as it stands at `at`. */
export function grantOf(row: GrantRow, at: string): Grant {
  const { made, granted_at } = JSON.parse(row.record) as { made: GrantMade; granted_at: string };
  const uses_left = Math.max(0, row.uses - row.used);
  const isOver = row.status === "active" && (row.expires_at <= at || uses_left === 0);
  const { tool, thread_id } = row;
  return { ...made, tool, thread_id, granted_at, status: isOver ? "ended" : row.status, uses_left };
}

/** Whether a grant is for the thread or the user of a call, or for everyone. */
export function isFor(
  { scope, subject }: Grant,
  { thread_id, user }: { thread_id: string; user: string | null },
): boolean {
  switch (scope) {
    case "thread":
      return subject === thread_id;
    case "user":
      return user !== null && subject === user;
    case "everyone":
      return true;
  }
}
