import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASKING, decideAtPace, firstPageMs, pause, seedPending, tell } from "./load.ts";
import { newFolder, story } from "./story.ts";

/* The same loads, larger and for longer, are in tests/soak. */

describe("a server under load", { timeout: 240_000 }, () => {
  it("takes decisions as they come, up to 100 a second, on 100 threads without an error", async () => {
    const server = await story(ASKING, undefined, { gc: true }).start();
    await pause(server, 100);
    const figures = await decideAtPace(server, { rate: 100, seconds: 5 });
    tell("100 decisions a second on 100 threads", { ...figures, memory_mib: await server.memory() });
    expect(figures).toMatchObject({ decisions: 500, errors: [] });
    expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
    expect(server.stderr()).toBe("");
  });

  it("lists the first page of 20,000 pending approvals quickly", async () => {
    const folder = newFolder();
    await seedPending(`file:${join(folder, "state.db")}`, 20_000);
    const server = await story(ASKING, undefined, { folder }).start();
    const median_ms = await firstPageMs(server);
    tell("first page of 20,000 pending", { median_ms });
    // Ten times what it takes where nothing else runs.
    expect(median_ms).toBeLessThan(100);
  });
});
