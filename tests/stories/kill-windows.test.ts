import { beforeAll, expect, it } from "vitest";
import { textOf } from "./http.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";
import { act, at, chosen, doomed, expectWhole, finish, run, type Deed, type Window } from "./windows.ts";

/*
 * One file that is served by one process after the other. Each is killed at a named step between a request and its end,
 * and the next one has to bring to an end what was under way.
 */

/** Where a process is killed: `doomed` windows are statements, others are moments at which it stands still. */
const WINDOWS: Window[] = [
  ...at("nothing", "before run_started", "after run_started", "model 0"),
  ...doomed("nothing", "before the run's row", "after the run's row"),
  ...at("nothing", "before the ai message", "after the ai message"),
  ...at("nothing", "before tool_call_started", "before approval_requested", "after approval_requested"),
  ...at("nothing", "before the interrupt", "after the interrupt", "before run_stopped", "after run_stopped"),
  ...at("approve", "before approval_resolved", "after approval_resolved", "before run_started"),
  ...doomed("approve", "after the run's row"),
  ...at("approve", "before execution_started", "after execution_started", "before effect", "after effect"),
  ...at("approve", "before execution_finished", "after execution_finished", "after tool_result"),
  ...at("approve", "before the tool message", "after the tool message", "model 1", "before run_stopped"),
  ...at("reject", "after approval_resolved", "before tool_result"),
  ...at("edit", "before approval_resolved", "after approval_resolved", "before approval_requested"),
  ...at("edit", "after approval_requested"),
  ...at("withdraw", "before approval_resolved", "after approval_resolved", "after tool_result"),
  ...doomed("cancel", "before the cancel mark", "after the cancel mark"),
  ...at("cancel", "before approval_resolved", "after approval_resolved"),
  ...at("delete", "before approval_resolved", "after approval_resolved"),
  ...doomed("delete", "before the thread's end", "after the thread's end"),
  ...at("answer an outcome", "before approval_requested", "after approval_requested"),
  ...at("answer an outcome", "before approval_resolved", "after approval_resolved"),
];

const CHOSEN = chosen(WINDOWS);

const { start, effects } = story([calls(["delete", "$text"]), says("done")], {
  version: 1,
  rules: [{ id: "vault", tools: ["delete"], when: { path: { glob: "vault-*" } }, tier: "approve" }],
});
let server: Server;
let stderr = "";
beforeAll(async () => {
  server = await start();
});

it.each(CHOSEN.map((window, n) => ({ ...window, text: `w${n}` })))(
  "loses nothing and runs nothing twice when it is killed $at, as its client does: $deed",
  async ({ deed, text, ...window }) => {
    // The window before this one may have been missed.
    if (server.hasEnded()) server = await start();
    const seen = new Set<string>();
    const thread_id = await reach(deed, text, window, seen);
    await server.kill();
    stderr += server.stderr();
    server = await start();
    await finish(server, thread_id, seen);
    await expectWhole(server, { thread_id, text, deed, seen, effects: effects() });
    expect(stderr + server.stderr()).toBe("");
  },
);

/** Does the deed on a new thread until the process stands at the window, or has died there. */
async function reach(
  deed: Deed,
  text: string,
  { at, isDoomed = false }: { at: string; isDoomed?: boolean },
  seen: Set<string>,
): Promise<string> {
  const moment = at.endsWith("effect") ? `${at} ${text}` : at;
  const arm = (): void => (isDoomed ? server.doom(moment) : server.hold(moment));
  const isThere = (): boolean => (isDoomed ? server.hasEnded() : server.isAt(moment));
  if (deed === "nothing") {
    const { body } = await server.post("/threads", {});
    arm();
    void run(server, textOf(body["thread_id"]), text);
    await until(isThere, moment);
    return textOf(body["thread_id"]);
  }
  const thread_id = await server.begin(text);
  const { approval_id } = await server.pending(thread_id);
  seen.add(approval_id);
  if (deed === "answer an outcome") {
    server.hold(`after effect ${text}`);
    void act(server, "approve", { thread_id, approval_id, text });
    await server.at(`after effect ${text}`);
    await server.kill();
    server = await start(at.endsWith("requested") ? [at] : []);
    if (!at.endsWith("requested")) {
      const outcome = await server.pending(thread_id);
      seen.add(outcome.approval_id);
      arm();
      void act(server, "answer an outcome", { thread_id, approval_id: outcome.approval_id, text });
    }
  } else {
    arm();
    void act(server, deed, { thread_id, approval_id, text });
  }
  await until(isThere, moment);
  return thread_id;
}
