import { beforeAll, expect, it } from "vitest";
import { listOf, textOf } from "./http.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

/*
 * A decision that is remembered, and a process that is killed while it is made, while its call runs, or while it decides
 * another call. What was remembered holds only once its call has succeeded, and no use of it is counted twice.
 */

const { start, effects } = story({
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      `g${n}`,
      [calls(["delete", `g${n}`]), says("1"), again(n), says("2")],
    ]),
  ),
});
function again(n: number) {
  return { tool_calls: [{ name: "delete", args: { path: `g${n}` }, id: `again_g${n}` }] };
}

let server: Server;
let stderr = "";
beforeAll(async () => {
  server = await start();
});

async function restart(): Promise<void> {
  await server.kill();
  stderr += server.stderr();
  server = await start();
}

const say = (thread_id: string, text: string) =>
  server
    .post(`/threads/${thread_id}/runs/wait`, {
      assistant_id: "agent",
      input: { messages: [{ role: "user", content: text }] },
    })
    .catch(() => undefined);

const remember = { scope: "thread", match: "exact", uses: 1 };
const grantsOf = async (thread_id: string) => {
  const { body } = await server.get("/grants?status=all&limit=1000");
  return listOf(body["grants"]).filter((grant) => textOf(grant["thread_id"]) === thread_id);
};
const timesRun = (path: string): number => effects().filter((line) => line === `delete ${path}`).length;

/** A thread on which a deletion was approved, to be remembered; the process stands at a moment of that, and is killed. */
async function approvedUntil(path: string, moment: string): Promise<string> {
  const thread_id = await server.begin(path);
  const { approval_id } = await server.pending(thread_id);
  server.hold(moment);
  server.post(`/approvals/${approval_id}/decision`, { type: "approve", remember }).catch(() => undefined);
  await server.at(moment);
  await restart();
  return thread_id;
}

it.each(
  [
    { moment: "before grant_made", isDecided: false },
    { moment: "after grant_made", isDecided: true },
    { moment: "before execution_started", isDecided: true },
  ].map((one, n) => ({ ...one, path: `g${n}` })),
)(
  "remembers what was decided, or neither, when it is killed $moment",
  async ({ moment, isDecided, path }) => {
    const thread_id = await approvedUntil(path, moment);
    if (isDecided) await server.untilStatus(thread_id, "idle");
    await until(async () => (await grantsOf(thread_id)).length === (isDecided ? 1 : 0), "grants stood so");
    expect(await server.approvals({ thread_id })).toHaveLength(isDecided ? 0 : 1);
    await until(() => timesRun(path) === (isDecided ? 1 : 0), "the tool ran, or did not");
    if (isDecided) expect(await grantsOf(thread_id)).toMatchObject([{ status: "active", uses_left: 1 }]);
    expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
    expect(stderr + server.stderr()).toBe("");
  },
);

it.each(
  [
    { moment: "before effect", answer: { type: "respond", message: "it is deleted" } },
    { moment: "after effect", answer: { type: "reject", message: "give up" } },
    { moment: "before execution_finished", answer: { type: "respond", message: "it is deleted" } },
  ].map((one, n) => ({ ...one, path: `g${n + 3}` })),
)(
  "remembers nothing of a call whose result nobody knows, when it is killed $moment",
  async ({ moment, answer, path }) => {
    const at = moment.endsWith("effect") ? `${moment} ${path}` : moment;
    const thread_id = await approvedUntil(path, at);
    const outcome = await server.pending(thread_id);
    expect(outcome.kind).toBe("outcome");
    await server.decide(outcome.approval_id, answer);
    await server.untilStatus(thread_id, "idle");
    expect(await grantsOf(thread_id)).toMatchObject([{ status: "void" }]);
    await say(thread_id, "again");
    expect(await server.approvals({ thread_id })).toHaveLength(1);
    expect(timesRun(path)).toBe(moment === "before effect" ? 0 : 1);
    expect(stderr + server.stderr()).toBe("");
  },
);

it.each(
  [
    { moment: "before approval_requested", uses: 1, asks: false },
    { moment: "after approval_requested", uses: 1, asks: false },
    { moment: "before execution_started", uses: 1, asks: false },
    { moment: "after execution_started", uses: 1, asks: true },
    { moment: "before run_stopped", uses: 1, asks: false },
  ].map((one, n) => ({ ...one, path: `g${n + 6}` })),
)(
  "takes one use for one call when it is killed $moment of the call that a grant decides",
  async ({ moment, asks, path }) => {
    const thread_id = await server.begin(path);
    const { approval_id } = await server.pending(thread_id);
    await server.post(`/approvals/${approval_id}/decision?wait=30`, { type: "approve", remember });
    expect(timesRun(path)).toBe(1);
    server.hold(moment);
    void say(thread_id, "again");
    await server.at(moment);
    await restart();
    if (asks) {
      const outcome = await server.pending(thread_id);
      expect(outcome.kind).toBe("outcome");
      await server.decide(outcome.approval_id, { type: "respond", message: "it is done" });
    }
    await server.untilStatus(thread_id, "idle");
    expect(timesRun(path)).toBe(asks ? 1 : 2);
    expect(await grantsOf(thread_id)).toMatchObject([{ status: "ended", uses_left: 0 }]);
    const uses = (await server.approvals({ thread_id, status: "all" })).filter(
      ({ decision }) => decision?.decided_by.kind === "grant",
    );
    expect(uses).toHaveLength(1);
    expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
    expect(stderr + server.stderr()).toBe("");
  },
);
