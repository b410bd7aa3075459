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

  it("is refused where a run begins on the thread of another one, and nothing is decided", async () => {
    const { reviewer, both, owner, admin, open, thread_id, b } = await live();
    for (const person of [reviewer, both])
      for (const end of ["", "/wait", "/stream"]) {
        const answer = resumeOf({ [b]: { type: "approve" } }, { on_disconnect: "cancel" });
        const { status, body } = await person.post(`/threads/${thread_id}/runs${end}`, answer);
        expect([end, status, body["code"]]).toEqual([end, 403, "forbidden"]);
        expect(textOf(body["detail"])).toContain('"on_disconnect" cancels the run when you leave');
      }
    expect((await admin.get(`/approvals/${b}`)).body["status"]).toBe("pending");
    open();
    const made = runOf("go", { on_disconnect: "cancel", if_not_exists: "create" });
    expect((await owner.post("/threads/fresh/runs/wait", made)).status).toBe(200);
    expect((await owner.post("/runs/wait", runOf("go", { on_disconnect: "cancel" }))).status).toBe(200);
  });
});
