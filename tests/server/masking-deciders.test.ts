import { describe, expect, it } from "vitest";
import { call, listOf, resumeOf, runOf, textOf, type Json } from "./bench.ts";
import { people } from "./identity-bench.ts";

const SECRET = "hunter2-of-nobody";

/** What each role is shown of a call that its requester masked, under a base policy that masks `base`. */
async function asked(mask: string[], base?: string[]) {
  const server = await people(
    [{ tool_calls: [call("delete_file", { path: SECRET }, "c_1")] }, { content: "done" }],
    { requester: ["requester"], viewer: ["viewer"], reviewer: ["reviewer"], admin: ["admin"] },
    base && { policy: { version: 1, mask: base } },
  );
  const thread_id = textOf((await server.requester.post("/threads")).body["thread_id"]);
  await server.requester.post(
    `/threads/${thread_id}/runs/wait`,
    runOf("go", { context: { policy: { mask } } }),
  );
  const [one] = listOf((await server.viewer.get("/approvals")).body["approvals"]);
  return { ...server, thread_id, approval_id: textOf(one!["approval_id"]) };
}

const argsOf = (approval: Json | undefined): unknown => approval!["args"];

describe("what a run's own policy masks", () => {
  it.each([[["**"]], [["path"]]])("is shown to whoever may decide, and to nobody else: %j", async (mask) => {
    const { approval_id, thread_id, ...server } = await asked(mask);
    const whole = { path: SECRET };
    for (const person of [server.reviewer, server.admin]) {
      const { body } = await person.get(`/approvals/${approval_id}`);
      expect([argsOf(body), body["mask"]]).toEqual([whole, []]);
      expect(argsOf((await person.get("/approvals")).body["approvals"]![0])).toEqual(whole);
      expect(argsOf((await person.post(`/approvals/${approval_id}/shown`)).body)).toEqual(whole);
    }
    for (const person of [server.viewer, server.requester]) {
      expect(argsOf((await person.get(`/approvals/${approval_id}`)).body)).toEqual({ path: "***" });
      expect(argsOf((await person.get("/approvals")).body["approvals"]![0])).toEqual({ path: "***" });
    }
    for (const path of [`/threads/${thread_id}`, `/threads/${thread_id}/state`, "/audit"])
      expect(JSON.stringify((await server.reviewer.get(path)).body)).not.toContain(SECRET);
  });

  it("is masked for everybody once it is decided", async () => {
    const { approval_id, thread_id, reviewer } = await asked(["**"]);
    const { body } = await reviewer.post(
      `/threads/${thread_id}/runs/wait`,
      resumeOf({ [approval_id]: { type: "approve" } }),
    );
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(argsOf((await reviewer.get(`/approvals/${approval_id}`)).body)).toEqual({ path: "***" });
  });

  it("stays masked where the base policy masks it too", async () => {
    const { approval_id, reviewer } = await asked(["**"], ["path"]);
    const { body } = await reviewer.get(`/approvals/${approval_id}`);
    expect([argsOf(body), body["mask"]]).toEqual([{ path: "***" }, ["path"]]);
  });
});
