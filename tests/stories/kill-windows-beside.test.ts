import { beforeAll, expect, it } from "vitest";
import { textOf } from "./http.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";
import { act, at, chosen, doomed, expectWhole, finish, run, type Window } from "./windows.ts";

/*
 * One file that two processes serve. One is killed at a named step while it goes on with a thread; the other one lives on
 * and has to bring to an end what was under way, with no start of its own in between.
 */

const WINDOWS: Window[] = [
  ...at("nothing", "after run_started", "model 0", "before the ai message", "after the ai message"),
  ...at("nothing", "before approval_requested", "after approval_requested"),
  ...at("nothing", "before the interrupt", "after the interrupt", "before run_stopped"),
  ...at("approve", "after approval_resolved", "after run_started", "before execution_started"),
  ...at("approve", "after execution_started", "before effect", "after effect"),
  ...at("approve", "before execution_finished", "after execution_finished", "after tool_result"),
  ...at("approve", "before the tool message", "after the tool message", "model 1", "before run_stopped"),
  ...at("reject", "after approval_resolved", "before tool_result", "after the tool message"),
  ...at("edit", "after approval_resolved", "after approval_requested"),
  ...at("withdraw", "after approval_resolved", "after tool_result"),
  ...doomed("cancel", "after the cancel mark"),
  ...at("cancel", "after approval_resolved"),
  ...at("delete", "after approval_resolved"),
  ...doomed("delete", "before the thread's end"),
];

const { start, effects } = story([calls(["delete", "$text"]), says("done"), says("more")], {
  version: 1,
  rules: [{ id: "vault", tools: ["delete"], when: { path: { glob: "vault-*" } }, tier: "approve" }],
});
let other: Server;
beforeAll(async () => {
  other = await start();
});

it.each(chosen(WINDOWS).map((window, n) => ({ ...window, text: `b${n}` })))(
  "leaves all that is under way to a living server when it is killed $at, as its client does: $deed",
  async ({ deed, text, at, isDoomed = false }) => {
    const doomedServer = await start();
    const moment = at.endsWith("effect") ? `${at} ${text}` : at;
    const arm = (): void => (isDoomed ? doomedServer.doom(moment) : doomedServer.hold(moment));
    const seen = new Set<string>();
    let thread_id: string;
    if (deed === "nothing") {
      thread_id = textOf((await doomedServer.post("/threads", {})).body["thread_id"]);
      arm();
      void run(doomedServer, thread_id, text);
    } else {
      thread_id = await doomedServer.begin(text);
      const { approval_id } = await other.pending(thread_id);
      seen.add(approval_id);
      arm();
      void act(doomedServer, deed, { thread_id, approval_id, text });
    }
    await until(() => (isDoomed ? doomedServer.hasEnded() : doomedServer.isAt(moment)), moment);
    await doomedServer.kill();
    await finish(other, thread_id, seen);
    // A run that was begun and never showed anything is taken up a moment later.
    await until(async () => (await other.status(thread_id).catch(() => "gone")) !== "busy", "it was at rest");
    await expectWhole(other, { thread_id, text, deed, seen, effects: effects() });
    expect(doomedServer.stderr() + other.stderr()).toBe("");
  },
);

it.each(["approve", "reject"] as const)(
  "lets no new input overtake a decision that a killed server took and did not act upon (%s)",
  async (deed) => {
    const text = `overtaken-${deed}`;
    const doomedServer = await start();
    const thread_id = await doomedServer.begin(text);
    const { approval_id } = await other.pending(thread_id);
    doomedServer.hold("after approval_resolved");
    void act(doomedServer, deed, { thread_id, approval_id, text });
    await doomedServer.at("after approval_resolved");
    await doomedServer.kill();
    // As soon as the living server no longer takes the dead one for alive, and long before it acts by itself.
    await until(async () => {
      const answer = await run(other, thread_id, "more");
      return answer?.status === 200;
    }, "a new input was taken");
    await until(async () => (await other.status(thread_id)) === "idle", "it was at rest");
    const [approval] = await other.approvals({ thread_id, status: "all" });
    const done = effects().filter((line) => line === `delete ${text}`);
    expect({ status: approval!.status, done: done.length }).toEqual(
      deed === "approve" ? { status: "approved", done: 1 } : { status: "rejected", done: 0 },
    );
    const told = (await other.messages(thread_id)).filter((message) => message.startsWith("tool:"));
    expect((await other.messages(thread_id)).at(-1)).toBe("ai: more");
    expect(told).toEqual([expect.stringContaining(deed === "approve" ? "delete:" : "rejected")]);
    expect((await other.get("/audit/verify")).body).toMatchObject({ ok: true });
  },
);
