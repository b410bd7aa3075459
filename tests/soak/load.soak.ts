import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ASKING, decideAtPace, firstPageMs, pause, seedPending, tell } from "../stories/load.ts";
import { newFolder, story } from "../stories/story.ts";

const WARM = 500;
const MANY = 10_000;

describe("a server under load, for long", { timeout: 600_000 }, () => {
  it("takes decisions as they come, up to 100 a second for a minute, on 1,000 paused threads without an error", async () => {
    const server = await story(ASKING, undefined, { gc: true }).start();
    await pause(server, 1_000);
    const before = await server.memory();
    const figures = await decideAtPace(server, { rate: 100, seconds: 60 });
    tell("100 decisions a second on 1,000 threads", {
      ...figures,
      memory_mib: [before, await server.memory()],
    });
    expect(figures).toMatchObject({ decisions: 6_000, errors: [] });
    expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
    expect(server.stderr()).toBe("");
  });

  it("needs less than 100 MB for 10,000 paused threads", async () => {
    const server = await story(ASKING, undefined, { gc: true }).start();
    await pause(server, WARM, "warm");
    const before = await server.memory();
    await pause(server, MANY - WARM);
    await sleep(2_000);
    const after = await server.memory();
    tell("10,000 paused threads", { memory_mib: [before, after] });
    expect(after - before).toBeLessThan(100);
  });

  it("lists the first page of 100,000 pending approvals in less than 10 ms at the median", async () => {
    const folder = newFolder();
    await seedPending(`file:${join(folder, "state.db")}`, 100_000);
    const server = await story(ASKING, undefined, { folder }).start();
    const median_ms = await firstPageMs(server, 200);
    tell("first page of 100,000 pending", { median_ms });
    expect(median_ms).toBeLessThan(10);
  });
});
