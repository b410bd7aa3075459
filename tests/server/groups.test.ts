import { describe, expect, it } from "vitest";
import type { Approval } from "../../src/ledger/index.ts";
import { openQuestion } from "../desk/support.ts";
import { bench, call, listOf, remove, textOf, type Bench } from "./bench.ts";

const PATHS = ["a", "b", "c", "d", "e"];

const listed = async ({ get }: Bench, query: string): Promise<Approval[]> =>
  (await get(`/approvals?${query}`)).body["approvals"] as unknown as Approval[];

const entry = ({ approval_id, args_digest }: Approval, decision: object = { type: "approve" }) => ({
  ...{ approval_id, args_digest },
  ...decision,
});

/** Five calls of one turn that are alike, as somebody has them listed. */
async function five() {
  const server = await bench([remove(...PATHS), { content: "done" }]);
  const { thread_id } = await server.begin();
  const [first] = await server.pending(thread_id);
  return { server, thread_id, group_id: first!.group_id!, group: await server.pending(thread_id) };
}

describe("the group of an approval", () => {
  it("is the one of all calls of a turn with the same tool, argument names and rules", async () => {
    const policy = {
      version: 1 as const,
      rules: [
        { id: "keys", tools: ["delete_file"], when: { path: { glob: "key*" } }, tier: "approve" as const },
      ],
    };
    const step = {
      tool_calls: [
        ...["a", "b", "key", "key2"].map((path) => call("delete_file", { path }, `c_${path}`)),
        call("read_file", { path: "a" }, "c_read"),
      ],
    };
    const { begin, pending } = await bench([step, { content: "done" }], { policy });
    await begin();
    const [a, b, key, key2] = await pending();
    expect(a!.group_id).toMatch(/^grp_[0-9a-f]{32}$/);
    expect(b!.group_id).toBe(a!.group_id);
    expect(key2!.group_id).toBe(key!.group_id);
    expect(key!.group_id).not.toBe(a!.group_id);
  });

  it("is another one in another turn, and none where no call is asked about", async () => {
    const { begin, pending, server } = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await begin();
    await begin();
    const [one, other] = await pending();
    expect(one!.group_id).not.toBe(other!.group_id);
    const graphs = await openQuestion(server.ledger, { thread_id, kind: "interrupt" });
    expect((await server.desk.get(graphs.approval_id)).group_id).toBeNull();
  });

  it("is the same when it is listed, read, decided and read again by the next server", async () => {
    const { server, group, group_id } = await five();
    const [first, second] = group;
    expect(new Set(group.map((one) => one.group_id))).toEqual(new Set([group_id]));
    expect((await server.get(`/approvals/${first!.approval_id}`)).body["group_id"]).toBe(group_id);
    const decided = await server.post(`/approvals/${first!.approval_id}/decision`, { type: "reject" });
    expect(decided.body["approval"]?.["group_id"]).toBe(group_id);
    const next = await server.restart();
    expect((await next.get(`/approvals/${second!.approval_id}`)).body["group_id"]).toBe(group_id);
    expect((await next.get("/audit/verify")).body).toMatchObject({ ok: true });
  });

  it("selects approvals, whatever else waits", async () => {
    const { server, group, group_id, thread_id } = await five();
    await server.begin();
    const found = await listed(server, `group_id=${group_id}`);
    expect(new Set(found)).toEqual(new Set(group));
    expect(found).toHaveLength(5);
    expect(await listed(server, `group_id=${group_id}&thread_id=${thread_id}&tool=delete_file`)).toHaveLength(
      5,
    );
    expect(await listed(server, `group_id=${group_id}&status=approved`)).toEqual([]);
    expect(await listed(server, "group_id=grp_none")).toEqual([]);
  });

  it("is listed page by page, none twice and none left out", async () => {
    const { server, group_id } = await five();
    await server.begin();
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await server.get(
        `/approvals?group_id=${group_id}&limit=2${cursor && `&cursor=${cursor}`}`,
      );
      ids.push(...listOf(page.body["approvals"]).map(({ approval_id }) => textOf(approval_id)));
      cursor = page.body["next_cursor"] as unknown as string | null;
    }
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
  });
});

describe("a decision about a group", () => {
  it("is for the calls it was shown, and for none that arrives meanwhile", async () => {
    const { server, group, group_id, thread_id } = await five();
    const { turn_id, rules } = group[0]!;
    const sixth = await openQuestion(server.server.ledger, {
      ...{ name: "6", thread_id, turn_id, rules, args: { path: "f" } },
    });
    expect(sixth.group_id).toBe(group_id);
    // One is taken out, so that the turn still waits and its questions stay.
    const [kept, ...shown] = group;
    const decisions = shown.map((one) => entry(one));
    const { status, body } = await server.post("/approvals/decisions?wait=10", { decisions });
    expect(status).toBe(200);
    expect(listOf(body["decisions"])).toHaveLength(4);
    expect(server.effects.deleted.toSorted()).toEqual(PATHS.slice(1));
    const open = await listed(server, `group_id=${group_id}`);
    expect(open.map(({ approval_id }) => approval_id)).toEqual([kept!.approval_id, sixth.approval_id]);
    const late = await server.post("/approvals/decisions?wait=10", { decisions: [entry(kept!)] });
    expect(late.status).toBe(200);
    expect(server.effects.deleted.toSorted()).toEqual(PATHS);
  });

  it("decides nothing at all when one of the digests is not that of what is asked", async () => {
    const { server, group, thread_id } = await five();
    const forged = group.map((one, index) =>
      entry(index === 3 ? { ...one, args_digest: group[0]!.args_digest } : one),
    );
    const { status, body } = await server.post("/approvals/decisions", { decisions: forged });
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { code: "digest_changed", approval: { approval_id: group[3]!.approval_id, status: "pending" } },
    });
    expect(await server.pending(thread_id)).toEqual(group);
    expect(server.effects.deleted).toEqual([]);
    await expect(
      server.server.desk.decideAll(forged.map(({ approval_id, ...decision }) => ({ approval_id, decision }))),
    ).rejects.toMatchObject({ code: "digest_changed" });
    expect(await server.pending(thread_id)).toEqual(group);
  });

  it("takes a digest with a single decision, too, in whatever form", async () => {
    const { server, group } = await five();
    const [one, two] = group;
    const post = ({ approval_id }: Approval, body: object) =>
      server.post(`/approvals/${approval_id}/decision`, body);
    for (const decision of [{ type: "approve" }, { type: "accept" }, { type: "edit", args: { path: "z" } }]) {
      const answer = await post(one!, { ...decision, args_digest: two!.args_digest });
      expect(answer).toMatchObject({ status: 409, body: { code: "digest_changed" } });
    }
    expect(await post(one!, { type: "approve", args_digest: 5 })).toMatchObject({
      status: 422,
      body: { code: "invalid_decision" },
    });
    const { args_digest } = one!;
    expect((await post(one!, { type: "approve", args_digest })).status).toBe(200);
    expect((await post(two!, { type: "ignore", args_digest: two!.args_digest })).status).toBe(200);
    // What is settled is refused as that, whatever the digest.
    expect((await post(one!, { type: "approve", args_digest: "x" })).body["code"]).toBe("already_decided");
  });
});
