import { describe, expect, it } from "vitest";
import { until } from "../stories/until.ts";
import { Effects, listOf, remove, resumeOf, runOf, textOf } from "./bench.ts";
import { people } from "./identity-bench.ts";

/** A run of `owner` that runs a tool which waits, with a question open beside it. */
async function live() {
  const effects = new Effects();
  let open = (): void => undefined;
  effects.gate = new Promise((resolve) => (open = resolve));
  const server = await people(
    [remove("a", "b"), { content: "done" }],
    {
      ...{ viewer: ["viewer"], owner: ["requester"], other: ["requester"], reviewer: ["reviewer"] },
      ...{ both: ["requester", "reviewer"], admin: ["admin"] },
    },
    { effects },
  );
  const thread_id = textOf((await server.owner.post("/threads")).body["thread_id"]);
  await server.owner.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
  const { body } = await server.reviewer.get(`/approvals?thread_id=${thread_id}`);
  const [a, b] = listOf(body["approvals"]).map((one) => textOf(one["approval_id"]));
  await server.reviewer.post(`/approvals/${a}/decision`, { type: "approve" });
  await until(() => effects.begun === 1, "the tool runs");
  const run_id = textOf((await server.owner.get(`/threads/${thread_id}/runs`)).body[0]!["run_id"]);
  const status = async () =>
    (await server.admin.get(`/threads/${thread_id}/runs/${run_id}`)).body["status"] as unknown;
  return { ...server, ...{ thread_id, run_id, status, open, b: b!, effects } };
}

const joins = ({ thread_id, run_id }: { thread_id: string; run_id: string }): string[] => [
  `/threads/${thread_id}/runs/${run_id}/join`,
  `/threads/${thread_id}/runs/${run_id}/stream`,
  `/runs/${run_id}/stream`,
];

describe("leaving a run that ends with that", () => {
  it("is refused to whoever may not cancel it, before they read a word", async () => {
    const { viewer, reviewer, both, other, open, ...server } = await live();
    for (const path of joins(server)) {
      for (const person of [viewer, reviewer, both]) {
        const { status, body } = await person.get(`${path}?cancel_on_disconnect=1`);
        expect([path, status, body["code"]]).toEqual([path, 403, "forbidden"]);
        expect(textOf(body["detail"])).toContain('"cancel_on_disconnect" cancels the run when you leave');
      }
      expect((await other.get(`${path}?cancel_on_disconnect=true`)).status).toBe(404);
    }
    expect(await server.status()).toBe("running");
    open();
    await until(() => server.effects.deleted.length === 1, "the tool is done");
  });

  it.each([0, 1, 2])("ends it in the name of its owner, by way %i", async (way) => {
    const { owner, reviewer, url, open, b, ...server } = await live();
    const leave = new AbortController();
    const path = `${joins(server)[way]}?cancel_on_disconnect=1`;
    const { headers } = owner;
    const answer = await fetch(`${url}${path}`, { headers, signal: leave.signal });
    expect(answer.status).toBe(200);
    leave.abort();
    const asked = async () => (await reviewer.get(`/approvals/${b}`)).body;
    await until(async () => textOf((await asked())["status"]) === "cancelled", "the question is withdrawn");
    expect((await asked())["decision"]).toMatchObject({
      decided_by: { kind: "user", id: "owner" },
      reason: "The client left, and its run with it.",
    });
    open();
    await until(async () => (await server.status()) === "interrupted", "the run has ended");
  });

  it("does not end the run of another one, where somebody answers on its thread and leaves", async () => {
    const { reviewer, admin, url, open, thread_id, b, effects, status } = await live();
    const leave = new AbortController();
    const answer = resumeOf({ [b]: { type: "approve" } }, { on_disconnect: "cancel" });
    const left = fetch(`${url}/threads/${thread_id}/runs/stream`, {
      method: "POST",
      headers: { ...reviewer.headers, "content-type": "application/json" },
      body: JSON.stringify(answer),
      signal: leave.signal,
    }).then(({ body }) => body?.cancel());
    const settled = async () => textOf((await admin.get(`/approvals/${b}`)).body["status"]);
    await until(async () => (await settled()) === "approved", "the answer is taken");
    leave.abort();
    await left.catch(() => undefined);
    open();
    await until(() => effects.deleted.length === 2, "both tools have run");
    expect(await status()).not.toBe("error");
    expect(await settled()).toBe("approved");
  });

  it("ends a run of one's own, also on a thread that it makes", async () => {
    const { owner, open } = await live();
    open();
    const made = runOf("go", { on_disconnect: "cancel", if_not_exists: "create" });
    expect((await owner.post("/threads/fresh/runs/wait", made)).status).toBe(200);
    expect((await owner.post("/runs/wait", runOf("go", { on_disconnect: "cancel" }))).status).toBe(200);
  });
});
