import { describe, expect, it } from "vitest";
import type { PolicyInput } from "../../src/policy/index.ts";
import { bench, remove, runOf } from "./bench.ts";

const steps = [remove("a"), { content: "1" }, remove("b"), { content: "2" }, remove("c"), { content: "3" }];
const call = (path: string, tool = "delete_file") => ({ tool, args: { path } });
const GRAPH = { graph_id: "agent" };

async function opened(policy: PolicyInput = { version: 1 }) {
  const one = await bench(steps, { policy });
  const check = (body: object) => one.post("/policies/check", body);
  const outlook = async (body: object) => (await check({ ...GRAPH, ...body })).body["outlook"];
  return { ...one, check, outlook };
}

describe("what would come of a call", () => {
  it("is what the reviewer would see, where it would be asked about", async () => {
    const review = { timeout: "2h", requireReason: ["reject" as const] };
    const { check } = await opened({ version: 1, review });
    expect(await check({ ...call("a"), ...GRAPH })).toMatchObject({
      status: 200,
      body: {
        verdict: { tier: "approve" },
        outlook: {
          ...{ will: "ask", by: { kind: "people", id: null } },
          question: {
            description: "Deletes a file.",
            ...{ timeout: "2h", quorum: 1, by: [], require_reason: ["reject"], quiet_until: null },
            remember: { scopes: ["thread"], max_ttl: "8h", max_uses: 50 },
          },
        },
      },
    });
  });

  it("names the rule, the mode or the decision that settles it", async () => {
    const { outlook } = await opened({
      version: 1,
      rules: [{ id: "no", tools: ["delete_file"], when: { path: { glob: "*.key" } }, tier: "deny" }],
    });
    expect(await outlook(call("a", "read_file"))).toMatchObject({ will: "run", by: { kind: "verdict" } });
    expect(await outlook(call("x.key"))).toMatchObject({ will: "deny", question: null });
    const never = await opened({ version: 1, mode: "never" });
    expect(await never.outlook(call("a"))).toMatchObject({
      will: "reject",
      by: { kind: "mode", id: "never" },
    });
  });

  it("knows what was remembered and rejected on the thread, and takes nothing", async () => {
    const one = await opened();
    const { thread_id } = await one.begin();
    const decide = async (decision: object) => {
      const [approval] = await one.pending(thread_id);
      await one.post(`/approvals/${approval!.approval_id}/decision?wait=10`, decision);
      return approval!.approval_id;
    };
    await decide({ type: "approve", remember: { scope: "thread", match: "exact", uses: 1 } });
    await one.post(`/threads/${thread_id}/runs/wait`, runOf("again"));
    const rejected = await decide({ type: "reject", message: "not b" });
    for (let again = 0; again < 2; again += 1) {
      expect(await one.outlook({ ...call("a"), thread_id })).toMatchObject({
        ...{ will: "run", by: { kind: "grant" } },
        why: "A decision was remembered for delete_file: exactly these arguments.",
      });
      expect(await one.outlook({ ...call("b"), thread_id })).toMatchObject({
        ...{ will: "reject", by: { kind: "repeat", id: rejected } },
      });
    }
    expect(await one.outlook(call("a"))).toMatchObject({ will: "ask" });
  });

  it("follows from the calls before it in the turn", async () => {
    const budget = { asks: 1, per: "1h", by: "thread" as const };
    const { check } = await opened({ version: 1, fatigue: { budget } });
    const { body } = await check({ ...GRAPH, calls: [call("a"), call("a", "read_file"), call("b")] });
    const why = expect.stringContaining("1 question was asked on this thread") as string;
    expect(body["calls"]).toMatchObject([
      { outlook: { will: "ask" } },
      { outlook: { will: "run" } },
      { outlook: { will: "reject", by: { kind: "budget", id: "budget" }, why } },
    ]);
  });

  it("is not known of a policy alone, nor of a turn that is no turn", async () => {
    const { check } = await opened();
    const alone = await check({ ...call("a"), policy: { version: 1 } });
    expect(alone.body).toEqual({
      verdict: { tier: "approve", rules: [], why: expect.any(String) as string },
    });
    for (const body of [{ calls: [] }, { ...call("a"), calls: [call("b")] }, { tool: "delete_file" }, {}])
      expect(await check({ ...GRAPH, ...body })).toMatchObject({ status: 422 });
  });
});
