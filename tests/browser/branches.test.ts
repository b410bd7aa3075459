import { describe, expect, it } from "vitest";
import { remove } from "../server/bench.ts";
import { isBrowserMissing } from "./browser.ts";
import { pages } from "./opened.ts";

describe.skipIf(isBrowserMissing())("a page with useStream that edits what was said", () => {
  const { opened, paused } = pages();

  it("forks the conversation, and shows either branch, also after a reload", async () => {
    const { server, screen } = await opened([
      (messages) => ({ content: `To "${messages.at(-1)!.text}": yes.` }),
    ]);
    await screen.send("Hello");
    await screen.says('To "Hello": yes.');
    await screen.idle();
    await screen.press("Edit");
    await screen.says('To "Hello, edited": yes.');
    await screen.idle();
    expect(await screen.messages("human")).toEqual(["Hello, edited"]);
    await screen.press("Branch 2 of 2");
    await screen.says('To "Hello": yes.');
    expect(await screen.messages("human")).toEqual(["Hello"]);
    await screen.page.reload();
    await screen.says('To "Hello, edited": yes.');
    await screen.press("Branch 2 of 2");
    await screen.says('To "Hello": yes.');
    expect(server.errors).toEqual([]);
  });

  it("asks anew in the new branch, where the old question is cancelled and cannot be answered", async () => {
    const { server, effects, screen } = await paused([remove("a"), { content: "It is done." }]);
    const [old] = await server.pending();
    await screen.press("Edit");
    await screen.page.locator("li[data-type=human] span", { hasText: "Delete a, edited" }).waitFor();
    await screen.question().waitFor();
    await screen.idle();
    const [now, ...others] = await server.pending();
    expect(others).toEqual([]);
    expect(now!.approval_id).not.toBe(old!.approval_id);
    const late = await server.post(`/approvals/${old!.approval_id}/decision`, { type: "approve" });
    expect(late).toMatchObject({ status: 410, body: { code: "cancelled" } });
    expect(effects.deleted).toEqual([]);
    await screen.press("Approve");
    await screen.says("It is done.");
    expect(effects.deleted).toEqual(["a"]);
  });

  it("repeats nothing that was done when the message behind it is edited", async () => {
    const { server, effects, screen } = await paused([remove("a"), { content: "It is done." }]);
    await screen.press("Approve");
    await screen.says("It is done.");
    await screen.idle();
    await screen.press("Edit");
    await screen.question().waitFor();
    await screen.idle();
    expect(effects.deleted).toEqual(["a"]);
    await screen.press("Reject");
    await screen.says("It is done.");
    expect(effects.deleted).toEqual(["a"]);
    expect(await server.pending()).toEqual([]);
  });
});
