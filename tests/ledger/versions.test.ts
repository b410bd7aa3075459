import { expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import type { Command } from "../../src/ledger/index.ts";
import { asked, AT, batchOf, idOf, started } from "./events.ts";

const by = { kind: "user" as const };

/** The versions in which the events of these commands are written, by type. */
async function versionsOf(...commands: Command[]): Promise<Record<string, number>> {
  const ledger = await openLedger("memory:");
  const batch = batchOf(idOf("t1"), null, [{ type: "start", data: started() }, ...commands], { at: AT });
  await ledger.append(batch);
  return Object.fromEntries((await ledger.events({})).map(({ type, v }) => [type, v]));
}

it("writes what the first version could say in that version, so that an older package still reads it", async () => {
  const versions = await versionsOf(
    { type: "ask", data: asked("apr_1") },
    { type: "decide", approval_id: "apr_1", decision: { type: "respond", message: "42" }, by },
    { type: "answer", data: { ok: true, outcome: "responded", result: "42" } },
  );
  expect([...new Set(Object.values(versions))]).toEqual([1]);
});

it("writes a question of a graph's own, its answer and its end in the second", async () => {
  const versions = await versionsOf(
    { type: "ask", data: asked("apr_1", { kind: "interrupt" }) },
    { type: "decide", approval_id: "apr_1", decision: { type: "respond", message: "7", value: 7 }, by },
    { type: "answer", data: { ok: true, outcome: "handed_over" } },
  );
  expect(versions).toEqual({
    ...{ tool_call_started: 1, approval_requested: 2, approval_resolved: 2, tool_result: 2 },
  });
});

it("writes a question that people are told of later in the fifth, and what a question takes in the version it has", async () => {
  const takes = [{ meter: "asksPerRun", subject: "x", amount: 1 }];
  expect(await versionsOf({ type: "ask", data: asked("apr_1", { takes }) })).toMatchObject({
    approval_requested: 1,
  });
  expect(await versionsOf({ type: "ask", data: asked("apr_1", { takes, quiet_until: AT }) })).toMatchObject({
    approval_requested: 5,
  });
});
