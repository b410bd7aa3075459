import { beforeAll, describe, expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";

// One thread for each way out. All of them are inside their tool, past its effect, when the process is killed.
const tools = {
  respond: "delete",
  approve: "delete",
  reject: "delete",
  safe: "touch",
  auto: "note",
  sibling: "delete",
};
type Path = keyof typeof tools;
const paths = Object.keys(tools) as Path[];

const { start, effects } = story({
  ...Object.fromEntries(paths.map((path) => [path, [calls([tools[path], path]), says("done")]])),
  sibling: [calls(["read", "kept"], ["delete", "sibling"]), says("done")],
});
const threads = {} as Record<Path, string>;
let server: Server;

const timesRun = (path: string): number => effects().filter((line) => line.endsWith(` ${path}`)).length;

beforeAll(async () => {
  const first = await start(paths.map((path) => `after effect ${path}`));
  for (const path of paths) {
    threads[path] = await first.send(path);
    if (path === "auto") continue;
    const { approval_id } = await first.pending(threads[path]);
    first.decide(approval_id, { type: "approve" }).catch(() => undefined);
  }
  await Promise.all(paths.map((path) => first.at(`after effect ${path}`)));
  await first.kill();
  server = await start();
});

describe("a server that is killed inside a tool, after its effect", () => {
  it.each(["respond", "approve", "reject", "sibling"] as const)(
    "asks what became of it, and does not run it again by itself (%s)",
    async (path) => {
      const thread_id = threads[path];
      await server.untilStatus(thread_id, "interrupted");
      const outcome = await server.pending(thread_id);
      expect(outcome).toMatchObject({
        ...{ kind: "outcome", status: "pending", tool: "delete", args: { path }, expires_at: null },
        allowed_decisions: ["approve", "reject", "respond"],
      });
      const [first] = await server.approvals({ thread_id, status: "all" });
      expect(first).toMatchObject({ kind: "call", status: "approved", execution: { state: "unknown" } });
      expect(timesRun(path)).toBe(1);
    },
  );

  it("tells the model the result that a person responds with", async () => {
    const thread_id = threads.respond;
    const { approval_id } = await server.pending(thread_id);
    await server.decide(approval_id, { type: "respond", message: "It is gone." });
    expect(timesRun("respond")).toBe(1);
    expect(await server.status(thread_id)).toBe("idle");
    const told = await server.messages(thread_id);
    expect(told).toHaveLength(4);
    expect(told[2]).toContain("It is gone.");
  });

  it("runs the tool again when a person approves that", async () => {
    const thread_id = threads.approve;
    const { approval_id } = await server.pending(thread_id);
    await server.decide(approval_id, { type: "approve" });
    expect(timesRun("approve")).toBe(2);
    expect(await server.status(thread_id)).toBe("idle");
    expect((await server.messages(thread_id)).slice(2)).toEqual(["tool: delete: approve", "ai: done"]);
  });

  it("gives up when a person rejects, and tells the model that it is not known", async () => {
    const thread_id = threads.reject;
    const { approval_id } = await server.pending(thread_id);
    await server.decide(approval_id, { type: "reject", message: "Leave it." });
    expect(timesRun("reject")).toBe(1);
    expect(await server.status(thread_id)).toBe("idle");
    const told = await server.messages(thread_id);
    expect(told).toHaveLength(4);
    expect(told[2]).toMatch(/not known|unknown/i);
    const { body } = await server.get(`/audit?thread_id=${thread_id}`);
    const results = (body["events"] as unknown as { type: string; outcome?: string }[]).filter(
      ({ type }) => type === "tool_result",
    );
    expect(results).toMatchObject([{ outcome: "unknown" }]);
  });

  it("runs a tool again that is declared idempotent, and asks nobody", async () => {
    const thread_id = threads.safe;
    await server.untilStatus(thread_id, "idle");
    expect(timesRun("safe")).toBe(2);
    expect(await server.approvals({ thread_id, status: "all" })).toHaveLength(1);
    expect((await server.messages(thread_id)).slice(2)).toEqual(["tool: touch: safe", "ai: done"]);
  });

  it("asks about a tool that ran without a question and is not declared idempotent", async () => {
    const thread_id = threads.auto;
    const { kind, approval_id } = await server.pending(thread_id);
    expect({ kind, runs: timesRun("auto") }).toEqual({ kind: "outcome", runs: 1 });
    await server.decide(approval_id, { type: "respond", message: "noted" });
    expect(await server.status(thread_id)).toBe("idle");
    expect(timesRun("auto")).toBe(1);
  });

  it("does not run a finished sibling again", async () => {
    const { approval_id } = await server.pending(threads.sibling);
    await server.decide(approval_id, { type: "respond", message: "gone" });
    expect(timesRun("kept")).toBe(1);
    expect(await server.status(threads.sibling)).toBe("idle");
  });

  it("keeps a chain that holds", async () => {
    expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true, broken: [] });
    expect(server.stderr()).toBe("");
  });
});
