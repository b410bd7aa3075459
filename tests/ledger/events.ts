import { callId, decide, digest, evolve } from "../../src/ledger/index.ts";
import type { Batch, Call, Command, Ledger, NewEvent } from "../../src/ledger/index.ts";

export const AT = "2026-03-01T10:00:00.000Z";

/** A moment, in milliseconds after {@link AT}. */
export function at(milliseconds: number): string {
  return new Date(Date.parse(AT) + milliseconds).toISOString();
}

export type Started = (NewEvent & { type: "tool_call_started" })["data"];
export type Asked = (NewEvent & { type: "approval_requested" })["data"];

export const ARGS = { path: "notes/old.md", deep: { list: [1, "two", null] } };

export function started(change: Partial<Started> = {}): Started {
  const args = change.args ?? ARGS;
  return {
    ...{ tool_call_id: "tc_1", tool: "delete_file", turn_id: "trn_1", args, args_digest: digest(args) },
    ...{ tier: "approve", rules: ["files"], why: "Rule files asks.", path: "", graph_id: "agent" },
    ...{ assistant_id: null, policy_digest: "sha256:p" },
    ...change,
  };
}

export function asked(approval_id: string, change: Partial<Asked> = {}): Asked {
  const args = change.args ?? ARGS;
  return {
    ...{ tool_call_id: "tc_1", tool: "delete_file", approval_id, kind: "call", round: 1, turn_id: "trn_1" },
    ...{ args, args_digest: digest(args), tier: "approve", rules: ["files"], reason: "Deletes a file." },
    ...{ description: null, allowed_decisions: ["approve", "edit", "reject", "respond"], require_reason: [] },
    ...{
      args_schema: null,
      expires_at: null,
      asked_by: "interrupt",
      interrupt_id: "i_1",
      checkpoint_id: "c_1",
    },
    ...change,
  };
}

export function idOf(thread_id: string, name = "1"): string {
  return callId({ thread_id, task_id: `task ${name}`, tool_call_id: name, tool: "delete_file", args: ARGS });
}

/** The batch of one or several commands to a call; each must lead to something. */
export function batchOf(
  call_id: string,
  call: Call | null,
  commands: Command[],
  more: Partial<Batch> = {},
): Batch {
  const batch: Batch = {
    at: AT,
    thread_id: call?.thread_id ?? "t1",
    run_id: "r1",
    call: null,
    events: [],
    ...more,
  };
  let after = call;
  for (const command of commands) {
    const { events, refusal } = decide(after, command, batch.at);
    if (events.length === 0)
      throw new Error(`"${command.type}" led to nothing: ${refusal?.code ?? "it already is"}`);
    batch.events.push(...events);
    for (const event of events) {
      const envelope = { v: 1, seq: 0, thread_seq: 0, at: batch.at, thread_id: batch.thread_id };
      after = evolve(after, { ...event, ...envelope, run_id: batch.run_id, call_id, hash: "" });
    }
  }
  return { ...batch, call: { call_id, expected_version: call?.version ?? 0 } };
}

/** Appends the events of commands to a call as it is now. */
export async function tell(
  ledger: Ledger,
  call_id: string,
  commands: Command[],
  more: Partial<Batch> = {},
): Promise<Call> {
  const appended = await ledger.append(batchOf(call_id, await ledger.call(call_id), commands, more));
  if (!appended.ok || appended.call === null) throw new Error("The call has another version by now.");
  return appended.call;
}

/** A call that asks, with the id of its approval. */
export async function ask(
  ledger: Ledger,
  thread_id: string,
  { name = "1", at = AT, ...change }: Partial<Asked> & { name?: string; at?: string } = {},
): Promise<{ call_id: string; approval_id: string; call: Call }> {
  const call_id = idOf(thread_id, name);
  const approval_id = change.approval_id ?? `apr_${thread_id}_${name}`;
  const commands: Command[] = [
    { type: "start", data: started() },
    { type: "ask", data: asked(approval_id, change) },
  ];
  return { call_id, approval_id, call: await tell(ledger, call_id, commands, { at, thread_id }) };
}

export function approve(approval_id: string): Command {
  return { type: "decide", approval_id, decision: { type: "approve" }, by: { kind: "user", id: "ann" } };
}

export function claim(approval_id: string): Command {
  const authority = { kind: "approval", approval_id } as const;
  return {
    ...{ type: "claim", tool: "delete_file", args: ARGS, args_digest: digest(ARGS), authority },
    ...{ owner: "p1", is_safe: false },
  };
}

export const finish: Command = { type: "finish", state: "succeeded", error: null };
export const answer: Command = { type: "answer", data: { ok: true, outcome: "done", result: "deleted" } };

export const runStarted: NewEvent = {
  type: "run_started",
  data: { graph_id: "agent", assistant_id: null, cause: "input" },
};
