import { describe, expect, it } from "vitest";
import { remove, until } from "../server/bench.ts";
import { isBrowserMissing } from "./browser.ts";
import { pages, slowModel, slowTool, statuses } from "./opened.ts";

const steps = [remove("a"), { content: "It is done." }];
const over = "plain";

describe.skipIf(isBrowserMissing())("a page with useStream as it is by default", () => {
  const { opened, paused } = pages();

  it("begins a run, draws its question, finds it again after a reload, approves, and shows the end", async () => {
    const { server, effects, screen } = await paused(steps, { over });
    await screen.page.reload();
    await screen.question().waitFor();
    expect(effects.deleted).toEqual([]);
    await screen.press("Approve");
    await screen.says("It is done.");
    await screen.idle();
    expect(await screen.question().count()).toBe(0);
    expect(effects.deleted).toEqual(["a"]);
    expect(await screen.alert.count()).toBe(0);
    expect(server.errors).toEqual([]);
  });

  it("keeps its question when it is closed at the pause, and when it is stopped there", async () => {
    const { server, effects, screen } = await paused(steps, { over });
    await screen.press("Stop");
    await screen.page.goto("about:blank");
    await screen.page.goBack();
    await screen.question().waitFor();
    expect(await server.pending()).toHaveLength(1);
    await screen.press("Approve");
    await screen.says("It is done.");
    expect(effects.deleted).toEqual(["a"]);
  });

  it("ends a run by leaving it, and shows no error for that", async () => {
    const { model, step } = slowModel("Here I am.");
    const page = await opened([step], { over });
    const { screen } = page;
    await screen.send("Are you there?");
    await until(() => model.asked === 1);
    await screen.press("Stop");
    await until(async () => (await statuses(page)).join() === "interrupted");
    await screen.idle();
    expect(await screen.alert.count()).toBe(0);
    model.answer();
    await screen.send("And now?");
    await screen.says("Here I am.");
  });

  it("keeps what a tool did that ran when the page was closed, and does not run it again", async () => {
    const { effects, finish } = slowTool();
    const page = await paused(steps, { over, effects });
    const { server, screen } = page;
    await screen.press("Approve");
    await until(() => effects.begun === 1);
    await screen.page.reload();
    await until(async () => (await statuses(page)).includes("interrupted"));
    finish();
    await until(() => effects.deleted.length === 1);
    await screen.send("And?");
    await screen.says("It is done.");
    expect(effects.begun).toBe(1);
    expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
  });
});
