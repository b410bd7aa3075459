import { describe, expect, it } from "vitest";
import { Effects, listOf, remove, until } from "../server/bench.ts";
import { isBrowserMissing } from "./browser.ts";
import { gate, pages } from "./opened.ts";

const steps = [remove("a"), { content: "It is done." }];

describe.skipIf(isBrowserMissing()).each(["sse", "websocket"] as const)(
  "a page of another origin that follows its thread over %s",
  (over) => {
    const { opened, paused } = pages();

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
      await screen.alert.waitFor();
      expect(effects.deleted).toEqual([]);
      const { body } = await server.get(`/threads/${screen.threadId()}/state`);
      expect(listOf(body["values"]!["messages"])).toHaveLength(2);
      await screen.page.reload();
      await screen.press("Approve");
      await screen.says("It is done.");
      expect(effects.deleted).toEqual(["a"]);
    });

    it("comes back to a run that goes on while it is reloaded, and sees its end", async () => {
      const effects = new Effects();
      const { opened: gateOpened, open: finish } = gate();
      effects.gate = gateOpened;
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
      const { opened: answered, open: answer } = gate();
      let asked = 0;
      const thinking = async () => {
        asked += 1;
        if (asked === 1) await answered;
        return { content: "Here I am." };
      };
      const { server, screen } = await opened([thinking], { over });
      await screen.send("Are you there?");
      await until(() => asked === 1);
      await screen.press("Stop");
      await until(async () => {
        const { body } = await server.get(`/threads/${screen.threadId()}/runs`);
        return (
          listOf(body)
            .map(({ status }) => status)
            .join() === "interrupted"
        );
      });
      answer();
      await screen.idle();
      await screen.send("And now?");
      await screen.says("Here I am.");
      expect(await screen.alert.count()).toBe(0);
    });
  },
);
