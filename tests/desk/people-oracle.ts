import { expect } from "vitest";
import { digest, type Ledger, type LedgerEvent } from "../../src/ledger/index.ts";

/** What is known of one question by its rows alone. */
interface Seen {
  asked: (LedgerEvent & { type: "approval_requested" })["data"];
  may: string[] | null;
  ends: string;
  level: number;
  warned: boolean;
  voters: string[];
  status: string;
  cleared: string | null;
}

/**
 * Reads the rows of a call as an outsider would, and fails where they are none that may be: a second outcome, a vote of
 * somebody who may not, too few of them, a decision after the end, an effect that nobody cleared, or a second one.
 */
export async function assertSound(ledger: Ledger, call_id: string, requester: string): Promise<void> {
  const events = await ledger.events({ call_id });
  const seen = new Map<string, Seen>();
  const of = (approval_id: string): Seen => seen.get(approval_id) as Seen;
  let effects = 0;
  for (const event of events) {
    switch (event.type) {
      case "approval_requested": {
        const { data } = event;
        expect([...seen.values()].map(({ status }) => status)).not.toContain("pending");
        const fresh = { level: 0, warned: false, voters: [], status: "pending", cleared: null };
        const ends = data.expires_at ?? "";
        seen.set(data.approval_id, { asked: data, may: data.reviewers ?? null, ends, ...fresh });
        break;
      }
      case "vote_cast": {
        const one = of(event.data.approval_id);
        expect(event.data.args_digest).toBe(one.asked.args_digest);
        hear(one, event.data.decision.decided_by, event.at, requester);
        expect(event.data.votes).toBe(one.voters.length);
        expect(one.voters.length).toBeLessThan(one.asked.quorum ?? 1);
        break;
      }
      case "approval_warned": {
        const one = of(event.data.approval_id);
        expect([one.status, one.warned, event.at < one.ends]).toEqual(["pending", false, true]);
        one.warned = true;
        break;
      }
      case "approval_escalated": {
        const one = of(event.data.approval_id);
        const group = one.asked.escalate?.[one.level];
        expect([one.status, one.asked.on_timeout, event.at >= one.ends]).toEqual([
          "pending",
          "escalate",
          true,
        ]);
        expect(event.data).toMatchObject({ group: group?.group, level: one.level + 1 });
        one.may = one.may && [...new Set([...one.may, ...(group?.reviewers ?? [])])].sort();
        expect(event.data.reviewers).toEqual(one.may);
        Object.assign(one, { level: one.level + 1, ends: event.data.expires_at, warned: false });
        expect(event.data.expires_at > event.at).toBe(true);
        break;
      }
      case "approval_resolved":
        resolve(of(event.data.approval_id), event, requester);
        break;
      case "execution_started": {
        const { authority, args_digest } = event.data;
        expect(authority.kind).toBe("approval");
        if (authority.kind === "approval") expect(of(authority.approval_id).cleared).toBe(args_digest);
        effects += 1;
        break;
      }
      default:
    }
  }
  expect(effects).toBeLessThanOrEqual(1);
  const call = await ledger.call(call_id);
  expect(call?.approvals.map(({ status }) => status)).toEqual([...seen.values()].map(({ status }) => status));
  expect(await ledger.verify()).toMatchObject({ ok: true, broken: [] });
}

/** Somebody says something: they may, it is in time, and the question is open. */
function hear(one: Seen, by: { kind: string; id?: string | undefined }, at: string, requester: string): void {
  const { asked, may, voters } = one;
  expect([one.status, by.kind, at < one.ends]).toEqual(["pending", "user", true]);
  const isRestricted = (asked.quorum ?? 1) > 1 || may !== null || asked.separate_duties === true;
  if (isRestricted) expect(by.id).toBeDefined();
  if (may !== null) expect(may).toContain(by.id);
  if (asked.separate_duties) expect(by.id).not.toBe(requester);
  if (by.id === undefined) return;
  expect(voters).not.toContain(by.id);
  voters.push(by.id);
}

function resolve(
  one: Seen,
  { data, at }: LedgerEvent & { type: "approval_resolved" },
  requester: string,
): void {
  const { asked, voters } = one;
  const { status, decision } = data;
  expect(one.status).toBe("pending");
  if (status === "approved" && decision.decided_by.kind === "timeout") {
    expect([asked.on_timeout, asked.quorum ?? 1, one.may, at >= one.ends]).toEqual([
      "approve",
      1,
      null,
      true,
    ]);
    one.cleared = asked.args_digest;
  } else if (status === "approved") {
    hear(one, decision.decided_by, at, requester);
    if ((asked.quorum ?? 1) > 1) expect(voters).toHaveLength(asked.quorum ?? 1);
    one.cleared = asked.args_digest;
  } else if (status === "expired") {
    expect(decision.decided_by.kind).toBe("timeout");
    expect(at >= one.ends).toBe(true);
    if (asked.on_timeout === "escalate") expect(one.level).toBe(asked.escalate?.length ?? 0);
  } else if (status !== "cancelled") {
    // Who approved before may still change their mind.
    one.voters = [];
    hear(one, decision.decided_by, at, requester);
    if (status === "edited" && (asked.quorum ?? 1) === 1) one.cleared = digest(decision.args ?? {});
  }
  one.status = status;
}
