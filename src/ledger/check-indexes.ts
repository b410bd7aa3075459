import { evolve, type Call } from "./call.ts";
import { canonicalJson } from "./canonical.ts";
import type { LedgerEvent } from "./event.ts";
import { LedgerError } from "./ledger.ts";
import { approvalIndex, callIndex, type ApprovalRow, type CallRow } from "./query.ts";
import { paged, type Snapshot } from "./snapshot.ts";
import { readEvent, type StoredEvent } from "./stored-event.ts";
import { takeRows, type TakeRow } from "./take.ts";
import type { Walk } from "./walk.ts";

/** An approval's row as its events say. One of a version that warned nobody is looked at when its time ends, not before. */
type Expected = ApprovalRow & { ends_at: string | null };

/** Compares the rows of calls and approvals with the events that they follow from. */
export async function checkIndexes(snapshot: Snapshot, walk: Walk): Promise<void> {
  const indexed = new Set<string>();
  for await (const page of paged(
    (after: string) => snapshot.calls(after),
    "",
    (row) => row.call_id,
  )) {
    const ids = page.map((row) => row.call_id);
    const events = byCall(await snapshot.eventsOfCalls(ids));
    const approvals = byCall(await snapshot.approvalsOfCalls(ids));
    const takes = byCall(await snapshot.takesOfCalls(ids));
    for (const row of page) {
      indexed.add(row.call_id);
      const { call_id } = row;
      const listed = { approvals: approvals.get(call_id) ?? [], takes: takes.get(call_id) ?? [] };
      const problem = faultOfCall(row, events.get(call_id) ?? [], listed);
      if (problem) walk.fault(row.thread_id, row.started_seq, problem);
    }
  }
  for (const call_id of walk.calls.keys()) {
    if (!indexed.has(call_id) && !walk.isErased(call_id))
      walk.fault(null, null, `call ${call_id} is missing in the index of calls`);
  }
  for await (const page of paged(
    (after: string) => snapshot.approvals(after),
    "",
    (row) => row.approval_id,
  )) {
    for (const { call_id, approval_id, thread_id, request_seq } of page) {
      if (indexed.has(call_id)) continue;
      walk.fault(thread_id, request_seq, `approval ${approval_id} is listed and no event asked it`);
    }
  }
  for await (const page of paged(
    (after: string) => snapshot.callsWithTakes(after),
    "",
    (row) => row.call_id,
  )) {
    // What was taken stays when a thread is erased: its calls cannot be looked up then.
    for (const { call_id } of page)
      if (!indexed.has(call_id) && !walk.isErased(call_id))
        walk.fault(null, null, `call ${call_id} is listed as taking something and no event says so`);
  }
}

/** How the rows of a call disagree with its events, if they do. */
function faultOfCall(
  row: CallRow,
  stored: StoredEvent[],
  { approvals: listed, takes }: { approvals: ApprovalRow[]; takes: TakeRow[] },
): string | undefined {
  const [first] = stored;
  if (first === undefined) return `call ${row.call_id} is indexed and has no events`;
  const events = readAll(stored) ?? [];
  const call = fold(events);
  if (call === undefined) return `the events of call ${row.call_id} make no call`;
  if (!agrees(row, { ...callIndex(call), started_seq: first.seq })) {
    return `the index of call ${row.call_id} does not agree with its events`;
  }
  if (!isSameTakes(takeRows(call), takes))
    return `what call ${row.call_id} took is not listed as its events say`;
  const expected = approvalRows(call, events);
  const rows = new Map(listed.map((one) => [one.approval_id, one]));
  const isWrong = (one: Expected) => !isSameApproval(rows.get(one.approval_id), one);
  const isStray = (one: ApprovalRow) => !expected.some(({ approval_id }) => approval_id === one.approval_id);
  const wrong = expected.find(isWrong) ?? listed.find(isStray);
  return wrong && `approval ${wrong.approval_id} is not listed as its events say`;
}

function readAll(rows: StoredEvent[]): LedgerEvent[] | undefined {
  try {
    return rows.map(readEvent);
  } catch (error) {
    if (error instanceof LedgerError && error.code === "newer_event") throw error;
    return undefined;
  }
}

function fold(events: LedgerEvent[]): Call | undefined {
  try {
    return events.reduce<Call | null>(evolve, null) ?? undefined;
  } catch {
    return undefined;
  }
}

function approvalRows(call: Call, events: LedgerEvent[]): Expected[] {
  const asked = new Map<string, number>();
  for (const { type, data, seq } of events) {
    if (type === "approval_requested" && !data.announced) asked.set(data.approval_id, seq);
  }
  return call.approvals.map((one) => ({
    ...approvalIndex(one),
    request_seq: asked.get(one.approval_id) ?? 0,
    ends_at: one.expires_at,
  }));
}

function isSameApproval(row: ApprovalRow | undefined, expected: Expected): boolean {
  const { record, ends_at, ...columns } = expected;
  if (row === undefined || !isSameJson(row.record, record)) return false;
  return agrees(row, columns) || agrees(row, { ...columns, expires_at: ends_at });
}

function isSameTakes(expected: TakeRow[], listed: TakeRow[]): boolean {
  const isListed = (one: TakeRow) => listed.some((row) => agrees(row, one));
  return expected.length === listed.length && expected.every(isListed);
}

function agrees(row: object, expected: object): boolean {
  const found = new Map<string, unknown>(Object.entries(row));
  return Object.entries(expected).every(([name, value]) => found.get(name) === value);
}

function isSameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return canonicalJson(JSON.parse(a)) === canonicalJson(JSON.parse(b));
  } catch {
    return false;
  }
}

function byCall<Row extends { call_id: string | null }>(rows: Row[]): Map<string | null, Row[]> {
  const groups = new Map<string | null, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.call_id);
    if (group) group.push(row);
    else groups.set(row.call_id, [row]);
  }
  return groups;
}
