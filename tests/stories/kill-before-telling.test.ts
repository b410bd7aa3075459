import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOf, type Json } from "./http.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

const script = [calls(["delete", "a"]), says("done")];

/** Somebody who is told of the ends of runs. */
async function receiver() {
  const told: Json[] = [];
  const listener = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      told.push(JSON.parse(body) as Json);
      response.end();
    });
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return { told, webhook: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/` };
}

async function begin(server: Server, webhook: string): Promise<string> {
  const thread_id = textOf((await server.post("/threads", {})).body["thread_id"]);
  const input = { messages: [{ role: "user", content: "go" }] };
  await server.post(`/threads/${thread_id}/runs`, { assistant_id: "agent", input, webhook });
  return thread_id;
}

describe("a server that is killed before it has told the end of a run", () => {
  it.each(["before run_stopped", "after run_stopped"])(
    "tells it when it is back, once (%s)",
    async (moment) => {
      const { told, webhook } = await receiver();
      const { start } = story(script);
      const first = await start([moment]);
      const thread_id = await begin(first, webhook);
      await first.at(moment);
      await first.kill();
      expect(told).toEqual([]);

      const second = await start();
      await until(() => told.length > 0, "the end was told");
      expect(told).toMatchObject([{ thread_id, status: "interrupted" }]);
      expect(JSON.stringify(told[0]!["values"])).toContain("approval_request");
      const { approval_id } = await second.pending(thread_id);
      await second.decide(approval_id, { type: "approve" });
      await second.untilStatus(thread_id, "idle");

      const third = await start();
      await third.untilStatus(thread_id, "idle");
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(told).toHaveLength(1);
      expect(second.stderr() + third.stderr()).toBe("");
    },
  );

  it("has it told by another one on its store, once", async () => {
    const { told, webhook } = await receiver();
    const { start } = story(script);
    const other = await start();
    const first = await start(["after run_stopped"]);
    const thread_id = await begin(first, webhook);
    await first.at("after run_stopped");
    await first.kill();
    await until(() => told.length > 0, "the end was told");
    expect(told).toMatchObject([{ thread_id, status: "interrupted" }]);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(told).toHaveLength(1);
    expect(other.stderr()).toBe("");
  });
});
