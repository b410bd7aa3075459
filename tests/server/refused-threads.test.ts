import { describe, expect, it } from "vitest";
import { listOf, remove, resumeOf, runOf, textOf } from "./bench.ts";
import { people, type Person } from "./identity-bench.ts";

const CREATE = { if_not_exists: "create" };
const command = (given: unknown) => ({ assistant_id: "agent", command: given, ...CREATE });

async function served() {
  return people([remove("a"), { content: "done" }], {
    ...{ owner: ["requester"], reviewer: ["reviewer"], both: ["requester", "reviewer"], admin: ["admin"] },
  });
}
type Server = Awaited<ReturnType<typeof served>>;

/** What is refused of a thread that is not there, by whom, and with which code. */
const REFUSED: [string, (server: Server) => Person, Record<string, unknown>, number, string][] = [
  ["an answer", (all) => all.reviewer, resumeOf({ type: "approve" }, CREATE), 404, "thread_not_found"],
  ["an answer", (all) => all.both, resumeOf({ type: "approve" }, CREATE), 404, "thread_not_found"],
  [
    "an answer",
    (all) => all.admin,
    resumeOf({ apr_x: { type: "approve" } }, CREATE),
    404,
    "thread_not_found",
  ],
  ["an end", (all) => all.reviewer, command({ goto: "__end__" }), 404, "thread_not_found"],
  ["a fork", (all) => all.owner, runOf("go", { ...CREATE, checkpoint_id: "x" }), 404, "thread_not_found"],
  [
    "a replay",
    (all) => all.owner,
    { assistant_id: "agent", checkpoint: { checkpoint_id: "x" }, ...CREATE },
    ...([404, "thread_not_found"] as const),
  ],
  ["a jump nowhere", (all) => all.owner, command({ goto: "nowhere" }), 422, "invalid_request"],
  ["a jump to tools", (all) => all.owner, command({ goto: "tools" }), 422, "not_supported"],
  ["an unknown key", (all) => all.owner, command({ update: { nothing: 1 } }), 422, "invalid_request"],
  ["a Send", (all) => all.owner, command({ goto: [{ node: "tools" }] }), 422, "not_supported"],
  [
    "an answer that waits",
    (all) => all.reviewer,
    resumeOf({ type: "approve" }, { after_seconds: 5 }),
    ...([404, "thread_not_found"] as const),
  ],
];

describe("a request that is refused", () => {
  it.each(REFUSED)("leaves no thread: %s", async (_name, who, body, status, code) => {
    const server = await served();
    for (const end of ["", "/wait", "/stream"]) {
      const answer = await who(server).post(`/threads/squat/runs${end}`, body);
      expect([answer.status, answer.body["code"]]).toEqual([status, code]);
      expect((await server.admin.get("/threads/squat")).status).toBe(404);
    }
    // The id is as free as before.
    const { body: run } = await server.owner.post("/threads/squat/runs/wait", runOf("go", CREATE));
    expect(run["__interrupt__"]).toBeDefined();
  });

  it("is an answer that says when its run begins, and nothing is decided", async () => {
    const { owner, reviewer } = await served();
    await owner.post("/threads/one/runs/wait", runOf("go", CREATE));
    const [asked] = listOf((await reviewer.get("/approvals")).body["approvals"]);
    const answer = resumeOf({ [textOf(asked!["approval_id"])]: { type: "approve" } }, { after_seconds: 5 });
    const { status, body } = await reviewer.post("/threads/one/runs", answer);
    expect([status, body["code"]]).toEqual([422, "invalid_request"]);
    expect(body["errors"]).toMatchObject([{ path: "after_seconds" }]);
    expect(listOf((await reviewer.get("/approvals")).body["approvals"])).toHaveLength(1);
  });
});

describe("a thread that a run makes", () => {
  it("is made by an input and by a jump, and is its sender's", async () => {
    const { owner, both } = await served();
    expect((await owner.post("/threads/one/runs/wait", runOf("go", CREATE))).status).toBe(200);
    const jump = command({ goto: "agent", update: { messages: [{ role: "user", content: "go" }] } });
    const { body } = await owner.post("/threads/two/runs/wait", jump);
    expect(body["__interrupt__"]).toBeDefined();
    // Whoever comes second with the same id takes no part in it.
    const second = await both.post("/threads/two/runs/wait", runOf("go", CREATE));
    expect(second.body["code"]).toBe("forbidden");
  });

  it("is made once by two who begin at once", async () => {
    const { owner } = await served();
    const both = await Promise.all([1, 2].map(() => owner.post("/threads/one/runs", runOf("go", CREATE))));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});
