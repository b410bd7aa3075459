import { describe, expect, it } from "vitest";
import { bench, remove } from "../server/bench.ts";
import { isBrowserMissing } from "./browser.ts";
import { pages } from "./opened.ts";
import { proxyTo } from "./proxy.ts";

const steps = [remove("a"), { content: "It is done." }];

describe.skipIf(isBrowserMissing())("a page that is open while the server restarts", () => {
  const { origins, open } = pages();

  it.each(["runs", "sse", "websocket"] as const)("keeps its question, and answers it (%s)", async (over) => {
    const server = await bench(steps, { allowOrigins: [origins.allowed] });
    const between = await proxyTo(server.url);
    const screen = await open(origins.allowed, between, over);
    await screen.send("Delete a");
    await screen.question().waitFor();
    await screen.idle();
    const again = await server.restart();
    between.layTo(again.url);
    between.cut();
    expect(await screen.question().count()).toBe(1);
    await screen.press("Approve");
    await screen.says("It is done.");
    await screen.idle();
    expect(await screen.question().count()).toBe(0);
    expect(await screen.alert.count()).toBe(0);
    expect(again.effects.deleted).toEqual(["a"]);
    expect([...server.errors, ...again.errors]).toEqual([]);
  });
});
