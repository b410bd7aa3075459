import { describe, expect, it } from "vitest";
import { listOf, remove, until } from "../server/bench.ts";
import { isBrowserMissing } from "./browser.ts";
import { pages } from "./opened.ts";

const steps = [remove("a"), { content: "It is done." }];

describe.skipIf(isBrowserMissing())("a page of another origin with useStream", () => {
  const { paused } = pages();

  it("begins a run, draws its question, finds it again after a reload, approves, and shows the end", async () => {
    const { server, effects, screen } = await paused(steps);
    expect(await server.pending(screen.threadId())).toHaveLength(1);
    await screen.page.reload();
    await screen.question().waitFor();
    expect(await screen.messages("human")).toEqual(["Delete a"]);
    expect(effects.deleted).toEqual([]);
    await screen.press("Approve");
    await screen.says("It is done.");
    await screen.idle();
    expect(await screen.question().count()).toBe(0);
    expect(await screen.messages("tool")).toEqual(["deleted a"]);
    expect(effects.deleted).toEqual(["a"]);
    expect(await screen.alert.count()).toBe(0);
    expect(server.errors).toEqual([]);
  });

  it("rejects with a message, which the model is told, and nothing is deleted", async () => {
    const { effects, screen } = await paused(steps);
    await screen.press("Reject");
    await screen.says("It is done.");
    await screen.idle();
    expect((await screen.messages("tool")).join()).toContain("Not that one.");
    expect(effects.deleted).toEqual([]);
    expect(await screen.question().count()).toBe(0);
  });

  it("runs a call as it was edited", async () => {
    const { effects, screen } = await paused(steps);
    await screen.page.getByLabel("Arguments").fill('{"path":"b"}');
    await screen.press("Run as edited");
    await screen.says("It is done.");
    expect((await screen.messages("tool")).join()).toContain("deleted b");
    expect(effects.deleted).toEqual(["b"]);
  });

  it("shows why an edit is refused, and keeps the question open", async () => {
    const { server, effects, screen } = await paused(steps);
    await screen.page.getByLabel("Arguments").fill('{"path":7}');
    await screen.press("Run as edited");
    await screen.alert.filter({ hasText: "422" }).waitFor();
    expect(await screen.question().count()).toBe(1);
    expect(await server.pending(screen.threadId())).toHaveLength(1);
    await screen.press("Approve");
    await screen.says("It is done.");
    await screen.alert.waitFor({ state: "detached" });
    expect(effects.deleted).toEqual(["a"]);
  });

  it("shows that a new message is refused while a question is open, and can answer it still", async () => {
    const { server, effects, screen } = await paused(steps);
    await screen.send("Yes, do it");
    await screen.alert.filter({ hasText: "approval_pending" }).waitFor();
    expect(await screen.question().count()).toBe(1);
    expect(effects.deleted).toEqual([]);
    const { body } = await server.get(`/threads/${screen.threadId()}/state`);
    expect(listOf(body["values"]!["messages"])).toHaveLength(2);
    await screen.press("Approve");
    await screen.says("It is done.");
    expect(await screen.messages("human")).toEqual(["Delete a"]);
  });

  it("answers the questions of one turn one after the other, each by its id", async () => {
    const { server, effects, screen } = await paused([remove("a", "b"), { content: "It is done." }]);
    expect(await screen.question().count()).toBe(2);
    await screen.question("delete_file", { path: "b" }).getByRole("button", { name: "Approve" }).click();
    await until(() => effects.deleted.length === 1);
    await screen.question("delete_file", { path: "b" }).waitFor({ state: "detached" });
    expect(effects.deleted).toEqual(["b"]);
    await screen.press("Reject");
    await screen.says("It is done.");
    expect(effects.deleted).toEqual(["b"]);
    expect(await server.pending()).toEqual([]);
  });
});
