import { describe, expect, it } from "vitest";
import { bench, listOf, remove, until } from "../server/bench.ts";
import { isBrowserMissing } from "./browser.ts";
import { pages, slowModel, slowTool, statuses } from "./opened.ts";
import { proxyTo } from "./proxy.ts";

const steps = [remove("a"), { content: "It is done." }];

describe.skipIf(isBrowserMissing()).each(["sse", "websocket"] as const)(
  "a page of another origin that follows its thread over %s",
  (over) => {
    const { origins, open, opened, paused } = pages();

    it("begins a run, draws its question, finds it again after a reload, approves, and shows the end", async () => {
      const { server, effects, screen } = await paused(steps, { over });
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
      const { effects, screen } = await paused(steps, { over });
      await screen.press("Reject");
      await screen.says("It is done.");
      expect((await screen.messages("tool")).join()).toContain("Not that one.");
      expect(effects.deleted).toEqual([]);
    });

    it("runs a call as it was edited", async () => {
      const { effects, screen } = await paused(steps, { over });
      await screen.page.getByLabel("Arguments").fill('{"path":"b"}');
      await screen.press("Run as edited");
      await screen.says("It is done.");
      expect(effects.deleted).toEqual(["b"]);
    });

    it("shows that a new message is refused while a question is open, and can answer it still", async () => {
      const { server, effects, screen } = await paused(steps, { over });
      await screen.send("Yes, do it");
      await screen.alert.filter({ hasText: "Approvals are pending" }).waitFor();
      expect(await screen.question().count()).toBe(1);
      expect(effects.deleted).toEqual([]);
      const { body } = await server.get(`/threads/${screen.threadId()}/state`);
      expect(listOf(body["values"]!["messages"])).toHaveLength(2);
      await screen.press("Approve");
      await screen.says("It is done.");
      expect(effects.deleted).toEqual(["a"]);
      // Until then the page shows what it was about to say, as the SDK draws it ahead of the answer.
      await screen.page.reload();
      await screen.says("It is done.");
      expect(await screen.messages("human")).toEqual(["Delete a"]);
    });

    it("answers the questions of one turn one after the other, each by its id", async () => {
      const { effects, screen } = await paused([remove("a", "b"), { content: "It is done." }], { over });
      await screen.question("delete_file", { path: "a" }).waitFor();
      const asked = screen.question("delete_file", { path: "b" });
      await asked.getByRole("button", { name: "Approve" }).click();
      await asked.waitFor({ state: "detached" });
      await screen.idle();
      expect(effects.deleted).toEqual(["b"]);
      await screen.press("Reject");
      await screen.says("It is done.");
      expect(effects.deleted).toEqual(["b"]);
    });

    it("forks where a message is edited: the old question is cancelled, and the new one decides", async () => {
      const { server, effects, screen } = await paused(steps, { over });
      const [old] = await server.pending();
      await screen.press("Edit");
      await until(async () =>
        (await server.pending()).some(({ approval_id }) => approval_id !== old!.approval_id),
      );
      await until(async () => (await screen.messages("human")).join() === "Delete a, edited");
      await screen.idle();
      expect(await screen.question().count()).toBe(1);
      const late = await server.post(`/approvals/${old!.approval_id}/decision`, { type: "approve" });
      expect(late).toMatchObject({ status: 410, body: { code: "cancelled" } });
      await screen.press("Approve");
      await screen.says("It is done.");
      expect(effects.deleted).toEqual(["a"]);
    });

    it("goes on by itself when the connection breaks, and sees the end", async () => {
      const { effects, finish } = slowTool();
      const server = await bench(steps, { allowOrigins: [origins.allowed], effects });
      const between = await proxyTo(server.url);
      const screen = await open(origins.allowed, between, over);
      await screen.send("Delete a");
      await screen.question().waitFor();
      await screen.press("Approve");
      await until(() => effects.begun === 1);
      between.cut();
      finish();
      await screen.says("It is done.");
      await screen.idle();
      expect(await screen.alert.count()).toBe(0);
      expect(await screen.question().count()).toBe(0);
      expect({ begun: effects.begun, deleted: effects.deleted }).toEqual({ begun: 1, deleted: ["a"] });
    });

    it("comes back to a run that goes on while it is reloaded, and sees its end", async () => {
      const { effects, finish } = slowTool();
      const { screen } = await paused(steps, { over, effects });
      await screen.press("Approve");
      await until(() => effects.begun === 1);
      await screen.page.reload();
      await screen.page.getByRole("status").filter({ hasText: "running" }).waitFor();
      finish();
      await screen.says("It is done.");
      await screen.idle();
      expect({ begun: effects.begun, deleted: effects.deleted }).toEqual({ begun: 1, deleted: ["a"] });
    });

    it("stops a model that thinks, and the thread takes the next message", async () => {
      const { model, step } = slowModel("Here I am.");
      const page = await opened([step], { over });
      const { screen } = page;
      await screen.send("Are you there?");
      await until(() => model.asked === 1);
      await screen.press("Stop");
      await until(async () => (await statuses(page)).join() === "interrupted");
      model.answer();
      await screen.idle();
      await screen.send("And now?");
      await screen.says("Here I am.");
      expect(await screen.alert.count()).toBe(0);
    });
  },
);
