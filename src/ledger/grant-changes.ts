import { EVERYONE, type GrantRow } from "./grant.ts";
import type { Sealed } from "./seal.ts";

/** What an event does to the rows of grants. */
export type GrantChange =
  | { kind: "made"; row: GrantRow }
  | { kind: "revoked"; grant_id: string }
  /** The call that grants were made with has ended: they hold from now on, or never will. */
  | { kind: "settled"; call_id: string; status: "active" | "void" };

/** What the events of a batch do to grants, in their order. */
export function grantChanges({ events }: Pick<Sealed, "events">): GrantChange[] {
  const changes: GrantChange[] = [];
  for (const event of events) {
    const { call_id } = event;
    if (event.type === "grant_revoked") changes.push({ kind: "revoked", grant_id: event.data.grant_id });
    if (call_id === null) continue;
    if (event.type === "grant_made") {
      const { tool_call_id: _of, tool, ...made } = event.data;
      const { grant_id, effect, scope, subject, expires_at, uses } = made;
      const row: GrantRow = {
        ...{ grant_id, call_id, thread_id: event.thread_id, tool, scope, subject: subject ?? EVERYONE },
        status: effect === "reject" ? "active" : "waiting",
        ...{ expires_at, uses, used: 0, made_seq: event.seq },
        record: JSON.stringify({ made, granted_at: event.at }),
      };
      changes.push({ kind: "made", row });
    }
    if (event.type === "execution_finished")
      changes.push({
        kind: "settled",
        call_id,
        status: event.data.state === "succeeded" ? "active" : "void",
      });
    if (event.type === "tool_result" || event.type === "execution_blocked")
      changes.push({ kind: "settled", call_id, status: "void" });
  }
  return changes;
}
