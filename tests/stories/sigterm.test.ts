import { describe, expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story } from "./story.ts";

const script = [calls(["delete", "a"]), says("done")];
/** Ten seconds for running tools, two for open requests, and what a busy machine takes. */
const LIMIT_MS = 20_000;

describe("countersign serve on SIGTERM", () => {
  it("exits with 0 while a question is pending, and shows it after its restart", async () => {
    const { serve, effects } = story(script);
    const first = await serve();
    const thread_id = await first.begin();
    const before = await first.pending(thread_id);
    const { code, ms } = await first.terminate();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(LIMIT_MS / 2);

    const second = await serve();
    expect(await second.pending(thread_id)).toEqual(before);
    expect(await second.status(thread_id)).toBe("interrupted");
    await second.decide(before.approval_id, { type: "approve" });
    expect(effects()).toEqual(["delete a"]);
    expect(first.stderr() + second.stderr()).toBe("");
  });

  it("lets a running tool finish, and goes on from its result after its restart", async () => {
    const { serve, effects } = story(script);
    const first = await serve(["before effect a"]);
    const thread_id = await first.begin();
    const { approval_id } = await first.pending(thread_id);
    const deciding = first.decide(approval_id, { type: "approve" }).catch(() => undefined);
    await first.at("before effect a");
    const ending = first.terminate();
    first.release("before effect a");
    expect((await ending).code).toBe(0);
    await deciding;
    expect(effects()).toEqual(["delete a"]);

    const second = await serve();
    await second.untilStatus(thread_id, "idle");
    expect(effects()).toEqual(["delete a"]);
    expect((await second.messages(thread_id)).slice(2)).toEqual(["tool: delete: a", "ai: done"]);
    expect(first.stderr() + second.stderr()).toBe("");
  });

  it("exits with 0 when a tool does not end, and asks after its restart what became of it", async () => {
    const { serve, effects } = story(script);
    const first = await serve(["after effect a"]);
    const thread_id = await first.begin();
    const { approval_id } = await first.pending(thread_id);
    const deciding = first.decide(approval_id, { type: "approve" }).catch(() => undefined);
    await first.at("after effect a");
    const { code, ms } = await first.terminate();
    expect(code).toBe(0);
    expect(ms).toBeGreaterThan(9_000);
    expect(ms).toBeLessThan(LIMIT_MS);
    await deciding;

    const second = await serve();
    const outcome = await second.pending(thread_id);
    expect(outcome.kind).toBe("outcome");
    await second.decide(outcome.approval_id, { type: "respond", message: "gone" });
    expect(await second.status(thread_id)).toBe("idle");
    expect(effects()).toEqual(["delete a"]);
  });
});
