import { describe, expect, it } from "vitest";
import { bench, remove, until } from "../server/bench.ts";
import { isBrowserMissing } from "./browser.ts";
import { pages, slowModel, slowTool, statuses } from "./opened.ts";
import { proxyTo } from "./proxy.ts";

/** That a stream which has begun is read on. */
const rejoined = /^GET .*\/runs\/.*\/stream 200$/;

const steps = [remove("a"), { content: "It is done." }];

describe.skipIf(isBrowserMissing())("a page with useStream, while a run goes on", () => {
  const { origins, open, opened, paused } = pages();

  /** A deletion that was approved and has begun, and what lets it end. */
  async function deleting() {
    const { effects, finish } = slowTool();
    const page = await paused(steps, { effects });
    await page.screen.press("Approve");
    await until(() => effects.begun === 1);
    return { ...page, finish };
  }

  it("comes back to the run after a reload, and sees its end", async () => {
    const { server, effects, screen, finish } = await deleting();
    await screen.page.reload();
    await until(() => screen.requests.some((request) => rejoined.test(request)));
    expect(effects.deleted).toEqual([]);
    finish();
    await screen.says("It is done.");
    await screen.idle();
    expect(await screen.question().count()).toBe(0);
    expect({ begun: effects.begun, deleted: effects.deleted }).toEqual({ begun: 1, deleted: ["a"] });
    expect(server.errors).toEqual([]);
  });

  it("goes on by itself when the connection breaks, and sees the end", async () => {
    const { effects, finish } = slowTool();
    const server = await bench(steps, { allowOrigins: [origins.allowed], effects });
    const between = await proxyTo(server.url);
    const screen = await open(origins.allowed, between);
    await screen.send("Delete a");
    await screen.question().waitFor();
    await screen.press("Approve");
    await until(() => effects.begun === 1);
    between.cut();
    await until(() => screen.requests.some((request) => rejoined.test(request)));
    finish();
    await screen.says("It is done.");
    await screen.idle();
    expect(await screen.alert.count()).toBe(0);
    expect({ begun: effects.begun, deleted: effects.deleted }).toEqual({ begun: 1, deleted: ["a"] });
  });

  it("stops a model that thinks, and the thread takes the next message", async () => {
    const { model, step } = slowModel("Here I am.");
    const page = await opened([step]);
    const { screen } = page;
    await screen.send("Are you there?");
    await until(() => model.asked === 1);
    await screen.press("Stop");
    await until(async () => (await statuses(page)).join() === "interrupted");
    await screen.idle();
    model.answer();
    await screen.send("And now?");
    await screen.says("Here I am.");
    expect(await screen.alert.count()).toBe(0);
  });

  it("stops while a tool runs: what it did is kept, and it does not run again", async () => {
    const page = await deleting();
    const { effects, screen, finish, server } = page;
    await screen.press("Stop");
    await until(async () => (await statuses(page)).includes("interrupted"));
    finish();
    await until(() => effects.deleted.length === 1);
    await screen.page.reload();
    await screen.idle();
    await screen.send("And?");
    await screen.says("It is done.");
    expect(effects.begun).toBe(1);
    expect(server.errors).toEqual([]);
  });
});
