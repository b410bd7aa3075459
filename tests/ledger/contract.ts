import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Batch, Ledger, LedgerEvent } from "../../src/ledger/index.ts";
import { CHAIN_START, LedgerError } from "../../src/ledger/index.ts";
import {
  answer,
  approve,
  ask,
  asked,
  at,
  AT,
  batchOf,
  claim,
  finish,
  idOf,
  runStarted,
  started,
  tell,
} from "./events.ts";
import { erasing } from "./erasing.ts";
import { taking } from "./taking.ts";
import { threadStates } from "./thread-states.ts";

/** What {@link ledgerContract} needs: a new, empty ledger each time. */
export type OpenLedger = () => Promise<Ledger>;

/** All that every store of the ledger promises. */
export function ledgerContract(name: string, open: OpenLedger): void {
  describe(`${name}: the contract of a ledger`, () => {
    let ledger: Ledger;
    const opened: Ledger[] = [];
    beforeEach(async () => {
      ledger = await open();
      opened.push(ledger);
    });
    afterAll(() => Promise.all(opened.map((one) => one.close())));

    appending(() => ledger);
    reading(() => ledger);
    listing(() => ledger);
    leasing(() => ledger);
    verifying(() => ledger);
    erasing(() => ledger);
    taking(() => ledger);
    threadStates(() => ledger);
    closing(() => ledger);
  });
}

function appending(of: () => Ledger): void {
  describe("append", () => {
    it("writes events, numbers them and returns them with the call", async () => {
      const batch = batchOf(idOf("t1"), null, [
        { type: "start", data: started() },
        { type: "ask", data: asked("apr_1") },
      ]);
      const appended = await of().append(batch);
      if (!appended.ok) throw new Error("refused");
      expect(
        appended.events.map(({ seq, thread_seq, type, v, at }) => [seq, thread_seq, type, v, at]),
      ).toEqual([
        [1, 1, "tool_call_started", 1, AT],
        [2, 2, "approval_requested", 1, AT],
      ]);
      expect(appended.call).toMatchObject({ version: 2, thread_id: "t1", run_id: "r1", result: null });
      expect(appended.call?.approvals).toMatchObject([{ approval_id: "apr_1", status: "pending" }]);
      expect(await of().events({})).toEqual(appended.events);
    });

    it("does not write upon a version that has passed", async () => {
      const { call_id, call } = await ask(of(), "t1");
      const stale = batchOf(call_id, call, [approve("apr_t1_1")]);
      expect(await of().append(stale)).toMatchObject({ ok: true });
      const before = await of().head();
      expect(await of().append(stale)).toEqual({ ok: false });
      expect(await of().head()).toEqual(before);
      expect((await of().call(call_id))?.version).toBe(3);
    });

    it("does not begin a call that has begun, nor go on with one that has not", async () => {
      const { call_id } = await ask(of(), "t1");
      expect(await of().append(batchOf(call_id, null, [{ type: "start", data: started() }]))).toEqual({
        ok: false,
      });
      const call = await of().call(call_id);
      const other = batchOf(idOf("t1", "2"), call, [approve("apr_t1_1")]);
      expect(await of().append(other)).toEqual({ ok: false });
    });

    it("lets exactly one of 20 parallel writers have a version", async () => {
      const { call_id, call } = await ask(of(), "t1");
      const batch = batchOf(call_id, call, [approve("apr_t1_1")]);
      const all = await Promise.all(Array.from({ length: 20 }, () => of().append(batch)));
      expect(all.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await of().verify()).toMatchObject({ ok: true, events: 3 });
    });

    it("gives parallel writers of different calls a place each", async () => {
      await Promise.all(Array.from({ length: 20 }, (_, n) => ask(of(), `t${n % 3}`, { name: String(n) })));
      const events = await of().events({});
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
      expect(await of().verify()).toMatchObject({ ok: true, events: 40, threads: 3 });
    });

    it("writes the events of a run, which belong to no call", async () => {
      const batch: Batch = { at: AT, thread_id: "t1", run_id: "r1", call: null, events: [runStarted] };
      expect(await of().append(batch)).toMatchObject({ ok: true, call: null, events: [{ call_id: null }] });
      expect(await of().verify()).toMatchObject({ ok: true, events: 1 });
    });

    it("does not write an event of a call without its call, nor one that is malformed", async () => {
      const data = { tool_call_id: "tc", tool: "x", approval_id: "apr_1" };
      const stray: Batch = {
        at: AT,
        thread_id: "t1",
        run_id: null,
        call: null,
        events: [{ type: "approval_shown", data }],
      };
      await expect(of().append(stray)).rejects.toThrow(/needs the call/);
      const odd = { type: "run_started", data: { graph_id: 1 } } as unknown as Batch["events"][number];
      await expect(of().append({ ...stray, events: [odd] })).rejects.toThrow();
      expect(await of().head()).toEqual({ seq: 0, hash: CHAIN_START });
    });

    it("does not write an event that cannot happen to the call, nor one of another thread", async () => {
      const { call_id, call } = await ask(of(), "t1");
      const batch = batchOf(call_id, call, [approve("apr_t1_1")]);
      await expect(of().append({ ...batch, thread_id: "t2" })).rejects.toThrow(/thread/);
      await expect(
        of().append({ ...batch, events: [{ type: "tool_call_started", data: started() }] }),
      ).rejects.toThrow(TypeError);
      expect(await of().head()).toMatchObject({ seq: 2 });
      expect(await of().append(batch)).toMatchObject({ ok: true });
    });

    it("keeps odd texts whole: other scripts, NUL, half a surrogate pair, and keys in any order", async () => {
      const args = { ключ: "值 🎈", nul: "a\u0000b", half: "\ud800", "10": 1, "9": 2, __proto: { a: -0 } };
      const tool = "odd\u0000tool\ud800";
      const call_id = idOf("t1");
      await tell(of(), call_id, [
        { type: "start", data: started({ args, tool }) },
        { type: "ask", data: asked("apr_1", { args, tool }) },
      ]);
      const call = await of().call(call_id);
      expect(call?.args).toEqual({ ...args, __proto: { a: 0 } });
      expect(call?.tool).toBe(tool);
      expect((await of().approvals({ tool })).approvals).toMatchObject([{ tool, args: { half: "\ud800" } }]);
      expect(await of().verify()).toMatchObject({ ok: true });
      await expect(
        of().append({ at: AT, thread_id: "a\u0000", run_id: null, call: null, events: [] }),
      ).rejects.toThrow(/cannot be stored/);
    });

    it("keeps what it wrote from those who change what it gave them", async () => {
      const { call_id, call } = await ask(of(), "t1");
      (call.args as { path: string }).path = "changed";
      call.approvals.length = 0;
      const after = await tell(of(), call_id, [approve("apr_t1_1")]);
      expect(after).toMatchObject({ args: { path: "notes/old.md" }, approvals: [{ status: "approved" }] });
      expect(await of().call(call_id)).toEqual(after);
    });
  });

  describe("appendAll", () => {
    it("writes batches of several calls and threads together", async () => {
      const batches = [
        batchOf(idOf("t1"), null, [
          { type: "start", data: started() },
          { type: "ask", data: asked("a1") },
        ]),
        batchOf(idOf("t1", "2"), null, [{ type: "start", data: started() }]),
        batchOf(idOf("t2"), null, [{ type: "start", data: started() }], { thread_id: "t2" }),
      ];
      const all = await of().appendAll(batches);
      if (!all.ok) throw new Error("refused");
      expect(all.calls.map((call) => call?.call_id)).toEqual(batches.map(({ call }) => call?.call_id));
      expect(all.events.map(({ seq, thread_seq }) => [seq, thread_seq])).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 1],
      ]);
      expect(await of().verify()).toMatchObject({ ok: true, events: 4, threads: 2 });
    });

    it("writes none of them when one comes too late or cannot be", async () => {
      const { call_id, call } = await ask(of(), "t1");
      const second = await ask(of(), "t1", { name: "2" });
      await tell(of(), second.call_id, [approve(second.approval_id)]);
      const good = batchOf(call_id, call, [approve("apr_t1_1")]);
      const late = batchOf(second.call_id, second.call, [approve(second.approval_id)]);
      expect(await of().appendAll([good, late])).toEqual({ ok: false });
      const wrong: Batch = {
        ...late,
        call: { call_id: second.call_id, expected_version: 3 },
        thread_id: "t9",
      };
      await expect(of().appendAll([good, wrong])).rejects.toThrow(TypeError);
      await expect(of().appendAll([good, good])).rejects.toThrow(/same call/);
      expect((await of().call(call_id))?.version).toBe(2);
      expect(await of().verify()).toMatchObject({ ok: true, events: 5 });
    });
  });
}

function reading(of: () => Ledger): void {
  describe("call, callOf, approval", () => {
    it("builds the call that append returned, through its whole life", async () => {
      const { call_id, approval_id } = await ask(of(), "t1");
      for (const command of [approve(approval_id), claim(approval_id), finish, answer]) {
        const after = await tell(of(), call_id, [command], { at: at(5) });
        expect(await of().call(call_id)).toEqual(after);
      }
      expect(await of().callOf(approval_id)).toMatchObject({
        call_id,
        version: 6,
        result: { outcome: "done" },
      });
      const approval = await of().approval(approval_id);
      expect(approval).toMatchObject({
        status: "approved",
        execution: { state: "succeeded", finished_at: at(5) },
      });
      expect((await of().approvals({ status: "all" })).approvals).toEqual([approval]);
    });

    it("knows nothing of what is not there", async () => {
      expect(await of().call("call_x")).toBeNull();
      expect(await of().callOf("apr_x")).toBeNull();
      expect(await of().callOf("apr_\u0000")).toBeNull();
      expect(await of().countApprovals({ thread_id: "\u0000", tool: "\u0000" })).toBe(0);
      expect(await of().approval("apr_x")).toBeNull();
      expect(await of().lease("call_x")).toBeNull();
    });
  });

  describe("events", () => {
    it("gives them by seq, of a thread, of a call, behind one, and so many", async () => {
      const { call_id } = await ask(of(), "t1");
      await ask(of(), "t2");
      await ask(of(), "t1", { name: "2" });
      const seqs = async (query: Parameters<Ledger["events"]>[0]) =>
        (await of().events(query)).map(({ seq }) => seq);
      expect(await seqs({})).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await seqs({ thread_id: "t1" })).toEqual([1, 2, 5, 6]);
      expect(await seqs({ thread_id: "t1", after: 2, limit: 1 })).toEqual([5]);
      expect(await seqs({ call_id })).toEqual([1, 2]);
      expect(await seqs({ after: 6 })).toEqual([]);
      expect(await seqs({ limit: 0 })).toEqual([1]);
    });
  });

  describe("subscribe", () => {
    it("tells of each batch in the order of seq, until it is stopped", async () => {
      const heard: LedgerEvent[] = [];
      const stop = of().subscribe((events) => heard.push(...events));
      await Promise.all(Array.from({ length: 10 }, (_, n) => ask(of(), "t1", { name: String(n) })));
      expect(heard).toEqual(await of().events({}));
      stop();
      await ask(of(), "t2");
      expect(heard).toHaveLength(20);
    });

    it("does not let a listener that throws disturb the writer or the others", async () => {
      const heard: number[] = [];
      of().subscribe(() => {
        throw new Error("deaf");
      });
      of().subscribe((events) => heard.push(events.length));
      await ask(of(), "t1");
      expect(heard).toEqual([2]);
    });

    it("does not tell of what was not written", async () => {
      const { call_id, call } = await ask(of(), "t1");
      await tell(of(), call_id, [approve("apr_t1_1")]);
      const heard: unknown[] = [];
      of().subscribe((events) => heard.push(events));
      await of().append(batchOf(call_id, call, [approve("apr_t1_1")]));
      expect(heard).toEqual([]);
    });
  });
}

function listing(of: () => Ledger): void {
  describe("approvals", () => {
    it("lists the pending ones, oldest question first, also when they came at the same millisecond", async () => {
      for (const name of ["3", "1", "2"]) await ask(of(), "t1", { name });
      await tell(of(), idOf("t1", "1"), [approve("apr_t1_1")]);
      const ids = async (query: Parameters<Ledger["approvals"]>[0]) =>
        (await of().approvals(query)).approvals.map(({ approval_id }) => approval_id);
      expect(await ids({})).toEqual(["apr_t1_3", "apr_t1_2"]);
      expect(await ids({ status: "approved" })).toEqual(["apr_t1_1"]);
      expect(await ids({ status: "all" })).toEqual(["apr_t1_3", "apr_t1_1", "apr_t1_2"]);
      expect(await of().countApprovals({ status: "all", limit: 1 })).toBe(3);
      expect(await of().countApprovals({})).toBe(2);
    });

    it("narrows by thread, run, tool and checkpoint", async () => {
      await ask(of(), "t1");
      await ask(of(), "t2", { tool: "send_mail", checkpoint_id: "c_2" });
      const count = (query: Parameters<Ledger["approvals"]>[0]) => of().countApprovals(query);
      expect(await count({ thread_id: "t1" })).toBe(1);
      expect(await count({ run_id: "r1" })).toBe(2);
      expect(await count({ run_id: "r2" })).toBe(0);
      expect(await count({ tool: "send_mail" })).toBe(1);
      expect(await count({ checkpoint_id: "c_2", thread_id: "t2" })).toBe(1);
      expect(await count({ checkpoint_id: "c_2", thread_id: "t1" })).toBe(0);
    });

    it("goes from page to page and neither repeats nor leaves out", async () => {
      for (let n = 0; n < 5; n += 1) await ask(of(), "t1", { name: String(n) });
      const seen: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await of().approvals({ limit: 2, ...(cursor && { cursor }) });
        seen.push(...page.approvals.map(({ approval_id }) => approval_id));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual([0, 1, 2, 3, 4].map((n) => `apr_t1_${n}`));
    });

    it.each(["", "x", "s0", "s-1", "s1e3", "1", "s1 or 1=1"])("refuses the cursor %j", async (cursor) => {
      await expect(of().approvals({ cursor })).rejects.toMatchObject({ code: "bad_cursor" });
    });

    it("does not list what was only announced", async () => {
      const call_id = idOf("t1");
      const data = started({ tier: "suggest" });
      await tell(of(), call_id, [
        { type: "start", data },
        { type: "ask", data: asked("apr_1", { announced: true, tier: "suggest" }) },
      ]);
      expect(await of().countApprovals({ status: "all" })).toBe(0);
      expect(await of().verify()).toMatchObject({ ok: true });
    });
  });

  describe("deadlines", () => {
    it("gives the pending approvals whose time is up, the earliest first, and when the next is", async () => {
      await ask(of(), "t1", { name: "late", expires_at: at(300) });
      await ask(of(), "t1", { name: "soon", expires_at: at(100) });
      await ask(of(), "t1", { name: "never" });
      await ask(of(), "t1", { name: "done", expires_at: at(50) });
      await tell(of(), idOf("t1", "done"), [approve("apr_t1_done")]);
      const due = async (time: string, limit = 10) =>
        (await of().due(time, limit)).map((one) => one.approval_id);
      expect(await of().nextDeadline()).toBe(at(100));
      expect(await due(at(99))).toEqual([]);
      expect(await due(at(100))).toEqual(["apr_t1_soon"]);
      expect(await due(at(300))).toEqual(["apr_t1_soon", "apr_t1_late"]);
      expect(await due(at(300), 1)).toEqual(["apr_t1_soon"]);
    });

    it("has no next one when nothing pending has an end", async () => {
      await ask(of(), "t1");
      expect(await of().nextDeadline()).toBeNull();
    });
  });

  describe("openCalls", () => {
    it("gives calls without a result, oldest first, of one thread or of all", async () => {
      const first = await ask(of(), "t1");
      await ask(of(), "t2");
      await ask(of(), "t1", { name: "2" });
      const ids = async (thread_id?: string) =>
        (await of().openCalls(thread_id)).map(({ call_id }) => call_id);
      expect(await ids()).toEqual([idOf("t1"), idOf("t2"), idOf("t1", "2")]);
      await tell(of(), first.call_id, [answer]);
      expect(await ids()).toEqual([idOf("t2"), idOf("t1", "2")]);
      expect(await ids("t1")).toEqual([idOf("t1", "2")]);
      expect(await ids("t3")).toEqual([]);
    });
  });
}

function leasing(of: () => Ledger): void {
  describe("leases", () => {
    it("are given with a batch, renewed by their owner, and stay with other events", async () => {
      const { call_id, approval_id } = await ask(of(), "t1");
      expect(await of().lease(call_id)).toBeNull();
      await tell(of(), call_id, [approve(approval_id), claim(approval_id)], {
        lease: { owner: "p1", until: at(10) },
      });
      expect(await of().lease(call_id)).toEqual({ owner: "p1", until: at(10) });
      expect(await of().renewLease(call_id, { owner: "p1", until: at(20) })).toBe(true);
      await tell(of(), call_id, [finish]);
      expect(await of().lease(call_id)).toEqual({ owner: "p1", until: at(20) });
    });

    it("are not renewed by another, nor where there is none", async () => {
      const { call_id, approval_id } = await ask(of(), "t1");
      expect(await of().renewLease(call_id, { owner: "p1", until: at(20) })).toBe(false);
      await tell(of(), call_id, [approve(approval_id), claim(approval_id)], {
        lease: { owner: "p1", until: at(10) },
      });
      expect(await of().renewLease(call_id, { owner: "p2", until: at(20) })).toBe(false);
      expect(await of().renewLease("call_x", { owner: "p1", until: at(20) })).toBe(false);
      expect(await of().lease(call_id)).toEqual({ owner: "p1", until: at(10) });
    });
  });
}

function verifying(of: () => Ledger): void {
  describe("verify", () => {
    it("finds nothing wrong with an empty ledger, whose head is the constant", async () => {
      const head = CHAIN_START;
      const found = { ok: true, threads: 0, events: 0, erased: 0, head, broken: [] };
      expect(await of().verify({ head })).toEqual(found);
    });

    it("knows every head that once was, and no other", async () => {
      const heads = [CHAIN_START];
      for (const name of ["1", "2", "3"]) {
        await ask(of(), "t1", { name });
        heads.push((await of().head()).hash);
      }
      expect(new Set(heads).size).toBe(4);
      for (const head of heads)
        expect(await of().verify({ head })).toMatchObject({ ok: true, head: heads[3] });
      const { ok, broken } = await of().verify({ head: "ab".repeat(32) });
      expect({ ok, broken }).toMatchObject({
        ok: false,
        broken: [{ problem: expect.stringContaining("never was") as string }],
      });
    });

    it("looks at one thread when asked for one", async () => {
      await ask(of(), "t1");
      await ask(of(), "t2");
      const { hash: head } = await of().head();
      expect(await of().verify({ thread_id: "t1", head })).toMatchObject({
        ok: true,
        threads: 1,
        events: 2,
        head,
      });
      expect(await of().verify({ thread_id: "t1", head: "ab" })).toMatchObject({ ok: false });
    });
  });
}

function closing(of: () => Ledger): void {
  it("refuses everything after it was closed, and may be closed twice", async () => {
    const ledger = of();
    await ledger.close();
    await ledger.close();
    for (const action of [
      () => ledger.head(),
      () => ledger.events({}),
      () => ask(ledger, "t1"),
      () => ledger.verify(),
    ]) {
      const error: unknown = await action().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(LedgerError);
      expect(error).toMatchObject({ code: "closed" });
    }
  });
}
