import { describe, expect, it } from "vitest";
import { ask, openDatabase } from "../../src/ledger/sql/index.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { bench, Effects, remove, textOf, until, type BenchOptions } from "./bench.ts";

const steps = [remove("a", "b"), { content: "done" }];
const DAY = 24 * 60 * 60 * 1_000;

describe("a request with an Idempotency-Key", () => {
  it("gets the first answer again, after a restart too", async () => {
    const first = await bench(steps);
    await first.begin();
    const [a] = await first.pending();
    const path = `/approvals/${a!.approval_id}/decision`;
    const key = { "idempotency-key": "k1" };
    const answers = await Promise.all([
      first.post(path, { type: "approve" }, key),
      first.post(path, { type: "approve" }, key),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1].body).toEqual(answers[0].body);
    const second = await first.restart();
    const again = await second.post(path, { type: "approve" }, key);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(answers[0].body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await second.post(path, { type: "approve" })).status).toBe(409);
    expect(second.effects.deleted).toEqual(["a"]);
  });

  it("is refused with another body, or on another route", async () => {
    const { begin, pending, post } = await bench(steps);
    await begin();
    const [a, b] = await pending();
    const key = { "idempotency-key": "k1" };
    await post(`/approvals/${a!.approval_id}/decision`, { type: "approve" }, key);
    const other = await post(`/approvals/${a!.approval_id}/decision`, { type: "reject" }, key);
    expect(other.body).toMatchObject({ code: "idempotency_mismatch", status: 422 });
    const elsewhere = await post(`/approvals/${b!.approval_id}/decision`, { type: "approve" }, key);
    expect(elsewhere.body).toMatchObject({ code: "idempotency_mismatch" });
    expect(await pending()).toHaveLength(1);
  });

  it("gets a refusal again, and is new after a day", async () => {
    let now = Date.now();
    const { begin, pending, post } = await bench(steps, {
      clock: () => now,
      policy: { version: 1, review: { timeout: "7d" } },
    });
    await begin();
    const [a] = await pending();
    const path = `/approvals/${a!.approval_id}/decision`;
    const key = { "idempotency-key": "k1" };
    expect((await post(path, { type: "maybe" }, key)).status).toBe(422);
    expect((await post(path, { type: "maybe" }, key)).headers.get("idempotent-replayed")).toBe("true");
    now += DAY + 1;
    expect((await post(path, { type: "approve" }, key)).status).toBe(200);
  });
});

const postgres = postgresUrl();
const stores: [string, BenchOptions][] = [["one file", {}]];
if (postgres) stores.push(["one PostgreSQL database", { store: postgres }]);

describe.each(stores)("a request with an Idempotency-Key to two servers on %s", (_, options) => {
  const key = (name: string) => ({ "idempotency-key": `${name} ${Math.random()}` });

  it("gets the one answer from both, at once and later", async () => {
    const one = await bench(steps, options);
    const other = await bench(steps, { store: one.store, effects: one.effects });
    for (let round = 0; round < 10; round += 1) {
      const { thread_id } = await one.begin();
      const [a] = await one.pending(thread_id);
      const path = `/approvals/${a!.approval_id}/decision?wait=10`;
      const same = key("both");
      const servers = round % 2 === 0 ? [one, other, one] : [other, one, other];
      const answers = await Promise.all(
        servers.map((server) => server.post(path, { type: "approve" }, same)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      for (const { body } of answers) expect(body).toEqual(answers[0]!.body);
      const replayed = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true");
      expect(replayed).toHaveLength(2);
      expect((await other.post(path, { type: "approve" })).status).toBe(409);
    }
    expect(one.effects.deleted).toHaveLength(10);
  });

  it("waits for the server that makes the answer, however long the tool runs", async () => {
    const effects = new Effects();
    let finish = (): void => undefined;
    effects.gate = new Promise((resolve) => (finish = resolve));
    const one = await bench([remove("a"), { content: "done" }], { ...options, effects });
    const other = await bench([remove("a"), { content: "done" }], { store: one.store, effects });
    const { thread_id } = await one.begin();
    const [a] = await one.pending(thread_id);
    const path = `/approvals/${a!.approval_id}/decision?wait=30`;
    const same = key("slow");
    const first = one.post(path, { type: "approve" }, same);
    await until(() => effects.begun === 1);
    let isAnswered = false;
    const second = other.post(path, { type: "approve" }, same).finally(() => (isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isAnswered).toBe(false);
    finish();
    expect((await second).body).toEqual((await first).body);
    expect((await second).headers.get("idempotent-replayed")).toBe("true");
    expect(textOf((await second).body["approval"]!["status"])).toBe("approved");
  });

  it("is not held up by a server that is gone", async () => {
    const one = await bench(steps, options);
    const { thread_id } = await one.begin();
    const [a] = await one.pending(thread_id);
    const same = key("gone");
    const database = await openDatabase(one.store);
    const insert = database
      .builder<{ keeping_keys: { key: string; owner_id: string } }>()
      .insertInto("keeping_keys")
      .values({ key: same["idempotency-key"], owner_id: "prc_gone" })
      .compile();
    await database.run(() => ask(insert));
    await database.close();
    const path = `/approvals/${a!.approval_id}/decision`;
    expect((await one.post(path, { type: "approve" }, same)).status).toBe(200);
    expect((await one.post(path, { type: "approve" }, same)).headers.get("idempotent-replayed")).toBe("true");
  });
});
