import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/ledger/sql/index.ts";
import { Courier, type Delivery } from "../../src/server/webhooks/courier.ts";
import { Outbox, type Message } from "../../src/server/webhooks/outbox.ts";
import { migrate } from "../../src/wire/migrate.ts";
import { folder, until } from "./bench.ts";
import { receiver, type Receiver } from "./receiver.ts";

/** An outbox and somebody who sends what is in it, with short pauses. */
async function courier(targets: string[] = ["t"]) {
  const database = await openDatabase(`file:${join(folder(), "state.db")}`);
  await migrate(database);
  const outbox = new Outbox(database);
  const errors: string[] = [];
  const delivery: Delivery = {
    pauses: [5, 10],
    headers: () => ({}),
    words: ({ message_id }) => `Notice ${message_id}`,
  };
  const sending = new Courier({
    ...{ outbox, mayReach: () => true, ofClients: delivery },
    onError: (error) => errors.push((error as Error).message),
    targets: new Map(targets.map((target) => [target, delivery])),
  });
  onTestFinished(async () => {
    await sending.stop();
    await database.close();
  });
  const put = (message_id: string, hook: Receiver, more: Partial<Message> = {}) =>
    database.run(() =>
      outbox.adding({
        ...{
          message_id,
          thread_id: null,
          url: hook.url,
          body: JSON.stringify({ type: message_id, data: {} }),
        },
        ...{ attempts: 0, due_ms: Date.now(), target: "t", subject: null, place: null },
        ...more,
      }),
    );
  return { sending, outbox, errors, put };
}

describe("a receiver that is dead", () => {
  it("is given up after the last pause, with one line that does not say where exactly", async () => {
    const hook = await receiver((response) => void response.writeHead(500).end());
    const { sending, outbox, errors, put } = await courier();
    await put("m1", hook);
    await sending.start();
    await until(() => errors.length === 1);
    expect(errors).toEqual(["Notice m1 could not be told: it answered 500"]);
    expect(hook.types()).toEqual(["m1", "m1", "m1"]);
    expect(await outbox.due(Number.MAX_SAFE_INTEGER, ["t"], 10)).toEqual([]);
  });

  it("does not keep what comes later about the same from being told at last", async () => {
    const hook = await receiver(
      (response, { type }) => void response.writeHead(type === "m1" ? 500 : 200).end(),
    );
    const { sending, errors, put } = await courier();
    await put("m1", hook, { subject: "s", place: 1 });
    await put("m2", hook, { subject: "s", place: 2 });
    await put("m3", hook, { subject: "other", place: 3 });
    await sending.start();
    await until(() => hook.types().includes("m2"));
    expect(hook.types().filter((type) => type !== "m3")).toEqual(["m1", "m1", "m1", "m2"]);
    expect(hook.types().indexOf("m3")).toBeLessThan(3);
    expect(errors).toHaveLength(1);
  });
});

describe("a message to a target", () => {
  it("is left alone by whoever does not know the target, and forgotten when nobody did for a week", async () => {
    const hook = await receiver();
    const { sending, outbox, put } = await courier([]);
    const week = 7 * 24 * 3_600_000;
    await put("young", hook);
    await put("old", hook, { due_ms: Date.now() - week - 1 });
    await put("client's", hook, { target: null, due_ms: Date.now() - week - 1 });
    await sending.start();
    await until(() => hook.received.length === 1);
    expect(hook.types()).toEqual(["client's"]);
    const left = await outbox.due(Number.MAX_SAFE_INTEGER, ["t"], 10);
    expect(left.map(({ message_id }) => message_id)).toEqual(["young"]);
  });

  it("is claimed by one of those who see it due", async () => {
    const hook = await receiver();
    const { outbox, put } = await courier();
    await put("m1", hook);
    const [seen] = await outbox.due(Date.now(), ["t"], 10);
    const claims = [1, 2, 3].map((more) => outbox.claim(seen!, { due_ms: seen!.due_ms + more }));
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
  });
});
