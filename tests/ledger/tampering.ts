import { beforeEach, describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/index.ts";
import { answer, approve, ask, at, tell } from "./events.ts";
import { clear, limit, take } from "./taking.ts";

/** A ledger with somebody who has the store open beside it, and may do anything there. */
export interface Exposed {
  ledger: Ledger;
  /** Opens the same store anew, as another process would. */
  reopen: () => Promise<Ledger>;
  /** Runs statements against the store, with the triggers that forbid changes as they are. */
  run: (...statements: string[]) => Promise<void>;
  /** Takes the triggers away. */
  disarm: () => Promise<void>;
}

/**
 * Whether changes behind the ledger's back are refused by the store, and found when they are made all the same.
 *
 * The ledger holds, by seq: 1 to 4 a call of t1, asked and approved and answered; 5 and 6 a call of t2, pending; 7 and
 * 8 another call of t1, pending.
 */
export function tamperingContract(name: string, open: () => Promise<Exposed>): void {
  describe(`${name}: changes behind the ledger's back`, () => {
    let of: Exposed;
    beforeEach(async () => {
      of = await open();
      const { call_id } = await ask(of.ledger, "t1");
      await tell(of.ledger, call_id, [approve("apr_t1_1"), answer], { at: at(1) });
      await ask(of.ledger, "t2");
      await ask(of.ledger, "t1", { name: "2" });
      return () => of.ledger.close();
    });

    refused(() => of);
    found(() => of);
    foundInIndexes(() => of);
    noticed(() => of);
  });
}

function refused(of: () => Exposed): void {
  it.each([
    ["an update", "update ledger_events set data = '{}' where seq = 3"],
    ["an update of nothing but the time", "update ledger_events set at = '2020' where seq = 3"],
    ["a removal", "delete from ledger_events where seq = 8"],
    ["a second event in the same place", copy("seq + 100")],
    ["a second event under the same number", copy("seq", "thread_seq + 100", "call_version + 100")],
  ])("refuses %s", async (_, statement) => {
    await expect(of().run(statement)).rejects.toThrow();
    expect(await of().ledger.verify()).toMatchObject({ ok: true, events: 8 });
  });
}

/** A statement that inserts event 3 once more. */
export function copy(seq: string, thread_seq = "thread_seq", call_version = "call_version"): string {
  const rest = "type, v, data, data_digest, prev_hash, hash, head_hash";
  return `insert into ledger_events (seq, thread_id, thread_seq, at, run_id, call_id, call_version, ${rest})
    select ${seq}, thread_id, ${thread_seq}, at, run_id, call_id, ${call_version}, ${rest}
    from ledger_events where seq = 3`;
}

async function problems({ ledger }: Exposed, options?: Parameters<Ledger["verify"]>[0]): Promise<string> {
  const { ok, broken } = await ledger.verify(options);
  expect(ok).toBe(broken.length === 0);
  return broken
    .map(({ thread_id, seq, problem }) => `${thread_id ?? "-"} ${seq ?? "-"} ${problem}`)
    .join("\n");
}

const cutEnd = [
  "delete from ledger_events where seq in (7, 8)",
  "delete from ledger_calls where version = 2 and thread_id = 't1'",
  "delete from ledger_approvals where approval_id = 'apr_t1_2'",
];

/** Makes the head, or the tip of t1, what it was at event 6, or at event 4. */
const headBack = "update ledger_head set seq = 6, hash = (select head_hash from ledger_events where seq = 6)";
const tipBack =
  "update ledger_threads set seq = 4, hash = (select hash from ledger_events where seq = 4) where thread_id = 't1'";

function found(of: () => Exposed): void {
  it("finds nothing where nothing was changed, in all and in each thread", async () => {
    expect(await problems(of())).toBe("");
    expect(await problems(of(), { thread_id: "t1" })).toBe("");
    expect(await problems(of(), { thread_id: "t2" })).toBe("");
  });

  it.each<[string, string[], RegExp]>([
    [
      "an edited payload",
      ["update ledger_events set data = replace(data, 'ann', 'bob') where seq = 3"],
      /^t1 3 event 3 was changed: its payload was edited/m,
    ],
    [
      "an edited payload whose digest was edited too",
      ["update ledger_events set data = '{}', data_digest = 'sha256:0' where seq = 3"],
      /^t1 3 event 3 was changed/m,
    ],
    [
      "an erased payload",
      ["update ledger_events set data = null where seq = 3"],
      /^t1 3 .* payload is missing/m,
    ],
    [
      "an edited time",
      ["update ledger_events set at = '2020-01-01T00:00:00.000Z' where seq = 3"],
      /^t1 3 event 3 was changed: it does not match its hash/m,
    ],
    [
      "an event moved to another thread",
      ["update ledger_events set thread_id = 't2', thread_seq = 3 where seq = 8"],
      /^t2 8 event 8 was changed/m,
    ],
    ["an event with another hash", ["update ledger_events set hash = 'ab' where seq = 3"], /^t1 3 event 3/m],
    ["a removed event", ["delete from ledger_events where seq = 3"], /^- 3 events 3 to 3 are missing/m],
    ["a removed first event", ["delete from ledger_events where seq = 1"], /^- 1 events 1 to 1 are missing/m],
    [
      "two events of different threads that changed places",
      [
        "update ledger_events set seq = 99 where seq = 5",
        "update ledger_events set seq = 5 where seq = 4",
        "update ledger_events set seq = 4 where seq = 99",
      ],
      /^t2 4 event 4 does not follow the one before it in the ledger/m,
    ],
    [
      "two events of one thread that changed places",
      [
        "update ledger_events set seq = 99, thread_seq = 99, call_version = 99 where seq = 3",
        "update ledger_events set seq = 3, thread_seq = 3, call_version = 3 where seq = 4",
        "update ledger_events set seq = 4, thread_seq = 4, call_version = 4 where seq = 99",
      ],
      /^t1 3 event 3 was changed/m,
    ],
    [
      "the end of a thread cut off",
      ["delete from ledger_events where seq = 8"],
      /^t1 - places 6 to 6 of thread t1 are missing/m,
    ],
    ["the end of all cut off", cutEnd, /^- 7 events 7 to 8 are missing/m],
    [
      "the end of all cut off, with the head",
      [...cutEnd, headBack],
      /^t1 - places 5 to 6 of thread t1 are missing/m,
    ],
    [
      "a thread that is gone",
      ["delete from ledger_events where thread_id = 't2'"],
      /^t2 - thread t2 is missing, with its 2 events/m,
    ],
    [
      "a thread that is gone, with its tip and all that lists it",
      ["events", "threads", "calls", "approvals"].map(
        (table) => `delete from ledger_${table} where thread_id = 't2'`,
      ),
      /^- 5 events 5 to 6 are missing/m,
    ],
    [
      "a thread without its tip",
      ["delete from ledger_threads where thread_id = 't2'"],
      /^t2 - thread t2 has no tip/m,
    ],
    ["a head that was put back", [headBack], /^- 8 the ledger ends at 8, its head says 6/m],
    [
      "a head that was edited",
      ["update ledger_head set hash = 'ab'"],
      /^- 8 the head is not the hash over all/m,
    ],
    ["a head that is gone", ["delete from ledger_head"], /^- 8 the ledger ends at 8, its head says 0/m],
  ])("finds %s", async (_, statements, expected) => {
    await of().disarm();
    await of().run(...statements);
    expect(await problems(of())).toMatch(expected);
  });

  it("finds an end cut off without a trace only with a head that was published before", async () => {
    const { hash: head } = await of().ledger.head();
    await of().disarm();
    await of().run(...cutEnd, headBack, tipBack);
    expect(await problems(of())).toBe("");
    expect(await problems(of(), { head })).toMatch(/never was the head/);
    expect(await problems(of(), { head, thread_id: "t2" })).toMatch(/never was the head/);
  });

  it("finds what was changed in the one thread that it looks at, and not what was changed in another", async () => {
    await of().disarm();
    await of().run("update ledger_events set data = '{}' where seq = 3");
    expect(await problems(of(), { thread_id: "t1" })).toMatch(/^t1 3 event 3 was changed/m);
    expect(await problems(of(), { thread_id: "t2" })).toBe("");
  });
}

function foundInIndexes(of: () => Exposed): void {
  it("finds a question that would be looked at at another time, but for its end, as versions without warnings had it", async () => {
    const { ledger, run } = of();
    await ask(ledger, "t3", { expires_at: at(240_000) });
    const move = (to: string) =>
      run(`update ledger_approvals set expires_at = '${to}' where thread_id = 't3'`);
    expect(await ledger.nextDeadline()).toBe(at(180_000));
    await move(at(240_000));
    expect(await problems(of())).toBe("");
    await move(at(240_001));
    expect(await problems(of())).toMatch(/approval apr_t3_1 is not listed as its events say/);
  });

  it.each<[string, string, RegExp]>([
    ["an amount", "update ledger_takes set amount = 1", /what call call_\w+ took is not listed/],
    [
      "one that was given back",
      "update ledger_takes set is_returned = 1",
      /what call call_\w+ took is not listed/,
    ],
    ["one that is gone", "delete from ledger_takes", /what call call_\w+ took is not listed/],
    [
      "one that never was",
      "insert into ledger_takes values ('apr_x', 'm', 's', 'x', '2026', 1, 0)",
      /call x is listed as taking something/,
    ],
  ])("finds, of what was taken, %s", async (_, statement, problem) => {
    const { ledger, run } = of();
    await clear(ledger, "taking", [take(40)], { limits: [limit(100)] });
    expect(await problems(of())).toBe("");
    await run(statement);
    expect(await problems(of())).toMatch(problem);
    expect(await problems(of(), { thread_id: "t2" })).toBe("");
  });

  it.each<[string, string, RegExp]>([
    [
      "a call that counts as answered",
      "update ledger_calls set is_answered = 1",
      /index of call call_\w+ does not/,
    ],
    ["a call with another version", "update ledger_calls set version = 9", /index of call call_\w+ does not/],
    [
      "a call of another thread",
      "update ledger_calls set thread_id = 't9'",
      /index of call call_\w+ does not/,
    ],
    [
      "a call that is not listed",
      "delete from ledger_calls where version = 4",
      /call call_\w+ is missing in the index/,
    ],
    [
      "a call that never was",
      "insert into ledger_calls values ('x', 't1', 'x', 1, 0, 1, null, null)",
      /call x is indexed and has no events/,
    ],
    [
      "a pending approval listed as approved",
      "update ledger_approvals set status = 'approved' where approval_id = 'apr_t2_1'",
      /approval apr_t2_1 is not listed as its events say/,
    ],
    [
      "an approval listed with other arguments",
      "update ledger_approvals set record = replace(record, 'old.md', 'new.md') where approval_id = 'apr_t2_1'",
      /approval apr_t2_1 is not listed as its events say/,
    ],
    [
      "an approval that is not listed",
      "delete from ledger_approvals where approval_id = 'apr_t2_1'",
      /approval apr_t2_1 is not listed as its events say/,
    ],
    [
      "an approval listed twice",
      `insert into ledger_approvals select 'apr_x', call_id, thread_id, run_id, tool, status, checkpoint_id,
        request_seq, expires_at, record, args_digest, decider from ledger_approvals where approval_id = 'apr_t2_1'`,
      /approval apr_x is not listed as its events say/,
    ],
    [
      "an approval of a call that never was",
      `insert into ledger_approvals select 'apr_x', 'call_x', thread_id, run_id, tool, status, checkpoint_id,
        request_seq, expires_at, record, args_digest, decider from ledger_approvals where approval_id = 'apr_t2_1'`,
      /approval apr_x is listed and no event asked it/,
    ],
  ])("finds %s", async (_, statement, expected) => {
    await of().run(statement);
    expect(await problems(of())).toMatch(expected);
  });

  it("does not take a lease for evidence", async () => {
    await of().run("update ledger_calls set lease_owner = 'x', lease_until = 'y'");
    expect(await problems(of())).toBe("");
  });
}

function noticed(of: () => Exposed): void {
  it("refuses to read a call with an event that does not match its hash, and names it", async () => {
    await of().disarm();
    await of().run("update ledger_events set data = replace(data, 'old.md', 'new.md') where seq = 6");
    const refusal = { code: "tampered", message: expect.stringContaining("Event 6 ") as string };
    await expect(of().ledger.callOf("apr_t2_1")).rejects.toMatchObject(refusal);
    await expect(of().ledger.approval("apr_t2_1")).rejects.toMatchObject(refusal);
    await expect(of().ledger.openCalls("t2")).rejects.toMatchObject(refusal);
    expect(await of().ledger.approval("apr_t1_2")).toMatchObject({ status: "pending" });
  });

  it("does not write upon a call with an event that does not match its hash", async () => {
    const call = await of().ledger.callOf("apr_t2_1");
    await of().disarm();
    await of().run("update ledger_events set data = replace(data, 'old.md', 'new.md') where seq = 6");
    const other = await of().reopen();
    const batch = {
      ...{ at: at(9), thread_id: "t2", run_id: "r1", events: [] },
      call: { call_id: call?.call_id ?? "", expected_version: 2 },
    };
    await expect(other.append(batch)).rejects.toMatchObject({ code: "tampered" });
    await other.close();
  });

  it("does not write where an event stands already", async () => {
    await of().run(headBack);
    await expect(ask(of().ledger, "t3")).rejects.toMatchObject({ code: "tampered" });
  });

  it("refuses to read an event whose payload is none of its type, and one of a later version", async () => {
    await of().disarm();
    await of().run("update ledger_events set data = '{}' where seq = 6");
    await expect(of().ledger.events({})).rejects.toMatchObject({ code: "tampered" });
    await of().run("update ledger_events set v = 99 where seq = 6");
    await expect(of().ledger.events({})).rejects.toMatchObject({ code: "newer_event" });
    expect(await of().ledger.events({ limit: 5 })).toHaveLength(5);
  });
}
