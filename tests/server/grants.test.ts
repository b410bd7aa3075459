import { expect, it } from "vitest";
import { bench, listOf, remove, runOf, textOf, type Bench } from "./bench.ts";

const twice = [remove("a"), { content: "1" }, remove("a"), { content: "2" }];

/** A thread whose one approval was taken with something to remember. */
async function remembered(remember: Record<string, unknown>): Promise<{ one: Bench; thread_id: string }> {
  const one = await bench(twice);
  const { thread_id } = await one.begin();
  const [approval] = await one.pending();
  const path = `/approvals/${approval!.approval_id}/decision?wait=10`;
  expect(await one.post(path, { type: "approve", remember })).toMatchObject({ status: 200 });
  return { one, thread_id };
}

const again = async ({ one, thread_id }: { one: Bench; thread_id: string }): Promise<number> => {
  await one.post(`/threads/${thread_id}/runs/wait`, runOf("again"));
  return (await one.pending(thread_id)).length;
};

it("lists what is remembered, in words, and decides by it", async () => {
  const { one, thread_id } = await remembered({ scope: "thread", match: "exact", ttl: "1h", uses: 3 });
  const { body } = await one.get("/grants");
  expect(listOf(body["grants"])).toMatchObject([
    { scope: "thread", status: "active", uses_left: 3, covers: "delete_file: exactly these arguments" },
  ]);
  expect(await again({ one, thread_id })).toBe(0);
  expect(one.effects.deleted).toEqual(["a", "a"]);
  expect(listOf((await one.get("/grants")).body["grants"])).toMatchObject([{ uses_left: 2 }]);
  expect((await one.get("/audit/verify")).body).toMatchObject({ ok: true });
});

it("forgets what is revoked, in every process, and keeps the row of it", async () => {
  const { one, thread_id } = await remembered({ scope: "thread", match: "exact" });
  const [grant] = listOf((await one.get("/grants")).body["grants"]);
  const other = await bench(twice, { store: one.store, effects: one.effects });
  const revoked = await other.remove(`/grants/${textOf(grant!["grant_id"])}`);
  expect(revoked).toMatchObject({ status: 200, body: { status: "revoked" } });
  expect(await again({ one, thread_id })).toBe(1);
  expect(listOf((await one.get("/grants")).body["grants"])).toEqual([]);
  expect(listOf((await one.get("/grants?status=all")).body["grants"])).toMatchObject([{ status: "revoked" }]);
  const { body } = await one.get(`/audit?thread_id=${thread_id}`);
  expect(listOf(body["events"]).map(({ type }) => textOf(type))).toContain("grant_revoked");
});

it("does not know a grant that was never made, and refuses a cursor that no page gave", async () => {
  const one = await bench([]);
  expect(await one.remove("/grants/gra_none")).toMatchObject({
    status: 404,
    body: { code: "unknown_grant" },
  });
  expect(await one.get("/grants?cursor=x")).toMatchObject({ status: 422, body: { code: "bad_cursor" } });
});

it("refuses what is wider than policy allows, and decides nothing then", async () => {
  const one = await bench(twice);
  await one.begin();
  const [approval] = await one.pending();
  expect(approval).toMatchObject({ remember: { scopes: ["thread"], max_ttl: "8h", max_uses: 50 } });
  for (const [remember, says] of [
    [{ scope: "everyone", match: "exact" }, '"everyone" is not offered'],
    [{ scope: "thread", match: "exact", ttl: "9h" }, '"8h" at most'],
    [{ scope: "thread", match: { nowhere: { equals: 1 } } }, "does not hold of this very call"],
    [{ scope: "thread" }, '"remember.match": is required.'],
    [{ scope: "thread", match: "alike" }, '"remember.match": must be "exact", "tool" or a test'],
    [{ match: "exact" }, '"remember.scope": is required.'],
  ] as const) {
    const answer = await one.post(`/approvals/${approval!.approval_id}/decision`, {
      type: "approve",
      remember,
    });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_decision" } });
    expect(answer.body["detail"]).toContain(says);
  }
  expect(await one.pending()).toHaveLength(1);
});

it("is gone with the thread that it was made on", async () => {
  const { one, thread_id } = await remembered({ scope: "thread", match: { path: { glob: "a" } } });
  await one.remove(`/threads/${thread_id}`);
  expect(listOf((await one.get("/grants?status=all")).body["grants"])).toEqual([]);
  expect((await one.get("/audit/verify")).body).toMatchObject({ ok: true });
});
