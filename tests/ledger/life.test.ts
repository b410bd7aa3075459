import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, digest, evolve } from "../../src/ledger/index.ts";
import type { Authority, Call, Command, LedgerEvent, Refusal } from "../../src/ledger/index.ts";
import { ARGS, asked, at, started } from "./events.ts";

const OTHER = { path: "other.md" };
const APPROVALS = ["apr_1", "apr_2", "apr_3"];

interface Step {
  command: Command;
  /** Milliseconds since the step before. */
  wait: number;
}

const approvalIds = fc.constantFrom(...APPROVALS);
const args = fc.constantFrom<Record<string, unknown>>(ARGS, OTHER);

/** Any command, most of them such as might be meant for the call that lives here. */
const commands: fc.Arbitrary<Command> = fc.oneof(
  fc.constant<Command>({ type: "start", data: started() }),
  fc
    .record({
      id: approvalIds,
      kind: fc.constantFrom("call" as const, "outcome" as const, "interrupt" as const),
      ttl: fc.option(fc.nat(20)),
    })
    .map<Command>(({ id, kind, ttl }) => ({
      type: "ask",
      data: asked(id, { kind, expires_at: ttl === null ? null : at(ttl) }),
    })),
  fc.constant<Command>({ type: "ask", data: asked("apr_0", { announced: true, tier: "suggest" }) }),
  approvalIds.map<Command>((approval_id) => ({ type: "show", approval_id })),
  fc
    .record({
      approval_id: approvalIds,
      decision: fc.oneof(
        fc.constant({ type: "approve" as const }),
        args.map((edited) => ({ type: "edit" as const, args: edited })),
        fc.constant({ type: "reject" as const, message: "no" }),
        fc.constant({ type: "respond" as const, message: "42" }),
      ),
    })
    .map<Command>((rest) => ({ type: "decide", by: { kind: "user" }, ...rest })),
  fc
    .record({ approval_id: approvalIds, status: fc.constantFrom("expired", "cancelled", "unavailable") })
    .map<Command>((rest) => ({ type: "close", by: { kind: "system" }, ...rest })),
  approvalIds.map<Command>((approval_id) => ({
    type: "block",
    approval_id,
    error: "e",
    next_approval_id: null,
  })),
  fc
    .record({
      authority: fc.oneof(
        fc.constant<Authority>({ kind: "verdict", tier: "auto", rules: [] }),
        approvalIds.map<Authority>((approval_id) => ({ kind: "approval", approval_id })),
      ),
      given: args,
      tool: fc.constantFrom("delete_file", "delete_file", "delete_file", "send_mail"),
      owner: fc.constantFrom("p1", "p2"),
      is_safe: fc.boolean(),
    })
    .map<Command>(({ given, ...rest }) => ({
      type: "claim",
      args: given,
      args_digest: digest(given),
      ...rest,
    })),
  fc.constant<Command>({ type: "pause" }),
  fc.constantFrom("p1", "p2").map<Command>((owner) => ({ type: "resume", owner })),
  fc
    .constantFrom("succeeded" as const, "failed" as const, "unknown" as const)
    .map<Command>((state) => ({ type: "finish", state, error: null })),
  // Rare, since an answer ends most of what can happen.
  { arbitrary: fc.constant<Command>({ type: "answer", data: { ok: true, outcome: "done" } }), weight: 1 },
);

const steps = fc.array(fc.record<Step>({ command: commands, wait: fc.nat(5) }), { maxLength: 40 });

interface Told {
  command: Command;
  at: string;
  before: Call | null;
  after: Call | null;
  events: LedgerEvent[];
  refusal: Refusal | undefined;
}

/** Tells a new call one command after the other. */
function live(all: Step[]): Told[] {
  let call: Call | null = null;
  let time = 0;
  let seq = 0;
  return all.map(({ command, wait }) => {
    time += wait;
    const before: Call | null = call;
    const { events, refusal } = decide(before, command, at(time));
    const written = events.map((event): LedgerEvent => {
      seq += 1;
      const place = { v: 1, seq, thread_seq: seq, at: at(time), thread_id: "t1", run_id: "r1", hash: "" };
      return { ...event, ...place, call_id: "call_1" };
    });
    call = written.reduce<Call | null>(evolve, before);
    return { command, at: at(time), before, after: call, events: written, refusal };
  });
}

/** Each sequence of commands first begins the call, so that the others have something to say to. */
function eachLife(check: (told: Told[]) => void): void {
  const begin: Step = { command: { type: "start", data: started() }, wait: 0 };
  fc.assert(
    fc.property(steps, (some) => check(live([begin, ...some]))),
    { numRuns: 500 },
  );
}

const eventsOf = (told: Told[]) => told.flatMap(({ events }) => events);

function ofType<T extends LedgerEvent["type"]>(told: Told[], type: T): (LedgerEvent & { type: T })[] {
  return eventsOf(told).filter((event): event is LedgerEvent & { type: T } => event.type === type);
}

describe("the life of a call, whatever is said to it and when", () => {
  it("has nothing in it before it begins, and begins once", () => {
    fc.assert(
      fc.property(steps, (some) => {
        const told = live(some);
        const all = eventsOf(told);
        if (all.length > 0) expect(all[0]?.type).toBe("tool_call_started");
        expect(ofType(told, "tool_call_started").length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("gives an approval at most one outcome, which then stands", () => {
    eachLife((told) => {
      const ids = ofType(told, "approval_resolved").map(({ data }) => data.approval_id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { before, after } of told) {
        for (const old of before?.approvals ?? []) {
          if (old.status === "pending") continue;
          const now = after?.approvals.find(({ approval_id }) => approval_id === old.approval_id);
          expect([now?.status, now?.decision]).toEqual([old.status, old.decision]);
        }
      }
    });
  });

  it("pairs each decision with a question asked before, and never asks two at a time", () => {
    eachLife((told) => {
      const open = new Set<string>();
      for (const event of eventsOf(told)) {
        if (event.type === "approval_requested" && !event.data.announced) {
          expect([...open]).toEqual([]);
          open.add(event.data.approval_id);
        }
        if (event.type === "approval_resolved") expect(open.delete(event.data.approval_id)).toBe(true);
      }
      const pending = told.at(-1)?.after?.approvals.filter(({ status }) => status === "pending") ?? [];
      expect(pending.map(({ approval_id }) => approval_id)).toEqual([...open]);
    });
  });

  it("turns a decision at or after the deadline into an expiry, and closes none before it", () => {
    eachLife((told) => {
      for (const { data, at: time } of ofType(told, "approval_resolved")) {
        const question = ofType(told, "approval_requested").find(
          (one) => one.data.approval_id === data.approval_id,
        );
        const end = question?.data.expires_at ?? null;
        if (data.status === "expired") expect(end !== null && time >= end).toBe(true);
        else if (data.decision.type !== null) expect(end === null || time < end).toBe(true);
      }
    });
  });

  it("lets nobody claim what is not cleared", () => {
    eachLife((told) => {
      for (const { before, events, command } of told) {
        if (command.type !== "claim" || events.length === 0) continue;
        const { authority, args_digest, tool } = command;
        expect(before?.result).toBeNull();
        if (authority.kind === "verdict") {
          expect(before?.approvals).toEqual([]);
          expect([tool, args_digest]).toEqual([before?.tool, before?.args_digest]);
          continue;
        }
        const approval = before?.approvals.at(-1);
        expect(approval?.approval_id).toBe(authority.approval_id);
        expect(["approved", "edited"]).toContain(approval?.status);
        const edited = approval?.status === "edited" ? approval.decision?.args : undefined;
        expect(args_digest).toBe(digest(edited ?? approval?.args));
        expect(tool).toBe("delete_file");
      }
    });
  });

  it("never has two executions under way, and an approval of an unsafe call is used once", () => {
    eachLife((told) => {
      for (const { after } of told) {
        const running =
          after?.executions.filter(({ state }) => state === "started" || state === "paused") ?? [];
        expect(running.length).toBeLessThanOrEqual(1);
      }
      const used = ofType(told, "execution_started").flatMap(({ data }) =>
        data.authority.kind === "approval" && !data.is_safe ? [data.authority.approval_id] : [],
      );
      expect(new Set(used).size).toBe(used.length);
    });
  });

  it("runs a call that is not safe a second time only when a person answered what became of the first", () => {
    eachLife((told) => {
      for (const { before, events, command } of told) {
        if (command.type !== "claim" || command.is_safe || events.length === 0) continue;
        if (before?.executions.length === 0) continue;
        expect(before?.approvals.at(-1)).toMatchObject({ kind: "outcome" });
      }
    });
  });

  it("has at most one result, and nothing is asked or run after it", () => {
    eachLife((told) => {
      expect(ofType(told, "tool_result").length).toBeLessThanOrEqual(1);
      const all = eventsOf(told);
      const end = all.findIndex(({ type }) => type === "tool_result");
      if (end === -1) return;
      const later = all.slice(end + 1).map(({ type }) => type);
      expect(later).not.toContain("approval_requested");
      expect(later).not.toContain("execution_started");
    });
  });

  it("gives no second event for the same command said again", () => {
    eachLife((told) => {
      for (const { command, after, events, at: time } of told) {
        if (events.length === 0) continue;
        expect(decide(after, command, time).events).toEqual([]);
      }
    });
  });

  it("counts one version an event, and a refusal never hides what it wrote", () => {
    eachLife((told) => {
      expect(told.at(-1)?.after?.version).toBe(eventsOf(told).length);
      for (const { refusal, events } of told) {
        if (refusal === undefined || events.length === 0) continue;
        expect([refusal.code, events.map(({ type }) => type)]).toEqual(["expired", ["approval_resolved"]]);
      }
    });
  });

  it("shows an approval how its execution went", () => {
    eachLife((told) => {
      const call = told.at(-1)?.after;
      for (const { authority, state } of call?.executions ?? []) {
        if (authority.kind !== "approval") continue;
        const last = call?.executions.findLast(
          (one) => one.authority.kind === "approval" && one.authority.approval_id === authority.approval_id,
        );
        const approval = call?.approvals.find(({ approval_id }) => approval_id === authority.approval_id);
        if (last?.state === state) expect(approval?.execution.state).toBe(state);
      }
    });
  });
});
