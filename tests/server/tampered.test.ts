import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { verifyStore } from "../../src/wire.ts";
import { bench, folder, listOf, remove } from "./bench.ts";

describe("a store with one call that was tampered with", () => {
  it("is served all the same, tells of the call, and runs nothing of it", async () => {
    const steps = [remove("a"), { content: "done" }];
    const first = await bench(steps);
    const { thread_id: bad } = await first.begin();
    const { thread_id: good } = await first.begin();
    const [approval] = await first.pending(bad);
    const [other] = await first.pending(good);
    await first.server.stop();
    const database = new Database(first.store.slice("file:".length));
    database.exec("drop trigger ledger_events_no_update");
    database
      .prepare(
        "update ledger_events set data = replace(data, '\"a\"', '\"b\"') where call_id = ? and type = ?",
      )
      .run(approval!.call_id, "approval_requested");
    const { post, errors, effects } = await bench(steps, { store: first.store, effects: first.effects });
    expect(errors).toMatchObject([{ code: "tampered" }]);
    expect(listOf((await post("/threads/search", {})).body)).toHaveLength(2);
    const decide = (id: string) => post(`/approvals/${id}/decision?wait=10`, { type: "approve" });
    expect((await decide(approval!.approval_id)).body).toMatchObject({ code: "tampered" });
    expect(effects.deleted).toEqual([]);
    expect((await decide(other!.approval_id)).status).toBe(200);
    expect(effects.deleted).toEqual(["a"]);
  });

  it("is found without a server", async () => {
    const { begin, server, store } = await bench([remove("a"), { content: "done" }]);
    await begin();
    await server.stop();
    const sound = await verifyStore(store);
    expect(sound).toMatchObject({ ok: true, broken: [] });
    expect(await verifyStore(store, { head: "f".repeat(64) })).toMatchObject({ ok: false });
    const database = new Database(store.slice("file:".length));
    database.exec("drop trigger ledger_events_no_update");
    database.exec("update ledger_events set data = replace(data, '\"a\"', '\"b\"') where seq = 3");
    expect(await verifyStore(store)).toMatchObject({ ok: false, head: sound.head });
  });

  it("is not made where there was none", async () => {
    const path = `${folder()}/none.db`;
    for (const store of [`file:${path}`, "memory:"])
      await expect(verifyStore(store)).rejects.toMatchObject({ code: "bad_store" });
    await expect(verifyStore(`file:${path}`)).rejects.toThrow(path);
  });
});
