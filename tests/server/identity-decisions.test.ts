import { describe, expect, it } from "vitest";
import { listOf, remove, resumeOf, runOf, textOf, until, type Json } from "./bench.ts";
import { Socket } from "./follow.ts";
import { asking, Done } from "./foreign.ts";
import { people, type Person } from "./identity-bench.ts";

const roles = {
  ...{ req: ["requester" as const], rita: ["reviewer" as const], rob: ["reviewer" as const] },
  ...{ both: ["requester" as const, "reviewer" as const], admin: ["admin" as const] },
};
const forged = {
  decided_by: { kind: "user", id: "admin" },
  requested_by: "admin",
  by: "admin",
  user: "admin",
};

async function paused(steps = [remove("a"), { content: "done" }]) {
  const server = await people(steps, roles);
  const thread_id = textOf((await server.req.post("/threads")).body["thread_id"]);
  await server.req.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
  const [approval] = listOf((await server.req.get("/approvals")).body["approvals"]);
  return { ...server, thread_id, approval: approval!, approval_id: textOf(approval!["approval_id"]) };
}

describe("who decided", () => {
  it("is who the credential names, and nobody whom a body names", async () => {
    const { rita, thread_id, approval, approval_id } = await paused();
    expect(approval["requested_by"]).toBe("req");
    const path = `/approvals/${approval_id}/decision`;
    const decision = { type: "approve", reason: "It is old." };
    for (const [key, name] of Object.entries(forged))
      expect((await rita.post(path, { ...decision, [key]: name })).body).toMatchObject({
        code: "invalid_decision",
      });
    const { body } = await rita.post(path, decision, { "x-user": "admin", "x-forwarded-user": "admin" });
    expect(body["approval"]!["decision"]!["decided_by"]).toEqual({ kind: "user", id: "rita" });
    const { body: audit } = await rita.get(`/audit?thread_id=${thread_id}`);
    const resolved = listOf(audit["events"]).find(({ type }) => (type as unknown) === "approval_resolved");
    expect(resolved!["decision"]!["decided_by"]).toEqual({ kind: "user", id: "rita" });
  });

  it("is recorded of answers through the LangGraph API, of withdrawals and of deletions", async () => {
    const endings: [string, (server: Awaited<ReturnType<typeof paused>>) => Promise<unknown>][] = [
      [
        "rita",
        ({ rita, ...at }) => rita.post(`/threads/${at.thread_id}/runs/wait`, resumeOf({ type: "reject" })),
      ],
      [
        "rita",
        ({ rita, ...at }) =>
          rita.post("/approvals/decisions", { decisions: [{ approval_id: at.approval_id, type: "reject" }] }),
      ],
      ["req", ({ req, ...at }) => req.send("DELETE", `/approvals/${at.approval_id}`)],
      ["req", ({ req, ...at }) => req.send("DELETE", `/threads/${at.thread_id}`)],
      [
        "rob",
        ({ rob, ...at }) => rob.post(`/threads/${at.thread_id}/state`, { values: null, as_node: "__end__" }),
      ],
      [
        "rob",
        ({ rob, ...at }) =>
          rob.post(`/threads/${at.thread_id}/runs/wait`, {
            assistant_id: "agent",
            command: { goto: "__end__" },
          }),
      ],
    ];
    for (const [who, end] of endings) {
      const server = await paused();
      const deciders: unknown[] = [];
      // Heard as it is written: a deleted thread's events are erased soon after.
      server.server.ledger.subscribe((events) => {
        for (const { type, data } of events)
          if (type === "approval_resolved") deciders.push(data.decision.decided_by);
      });
      await end(server);
      expect([who, deciders]).toEqual([who, [{ kind: "user", id: who }]]);
    }
  });

  it("is recorded of a graph's own question, with who asked", async () => {
    const { req, rita } = await people([], roles, {
      config: { graphs: { agent: asking(new Done(), { ask: ["go on?"] }) } },
    });
    const thread_id = textOf((await req.post("/threads")).body["thread_id"]);
    await req.post(`/threads/${thread_id}/runs/wait`, { assistant_id: "agent", input: {} });
    const [approval] = listOf((await rita.get("/approvals")).body["approvals"]);
    expect(approval).toMatchObject({ kind: "interrupt", requested_by: "req" });
    const { body } = await rita.post(`/approvals/${textOf(approval!["approval_id"])}/decision`, {
      ...{ type: "respond", message: "yes" },
    });
    expect(body["approval"]!["decision"]!["decided_by"]).toEqual({ kind: "user", id: "rita" });
  });
});

describe("an answer", () => {
  it("is a reviewer's, whichever way it comes", async () => {
    const { req, thread_id, approval, approval_id, effects, url, admin } = await paused();
    const resume = { [textOf(approval["interrupt_id"])]: { type: "approve" } };
    const params = { interrupt_id: textOf(approval["interrupt_id"]), response: { type: "approve" } };
    const command = { id: 1, method: "input.respond", params };
    const at = `/threads/${thread_id}`;
    const ways: [string, unknown][] = [
      ...["runs", "runs/wait", "runs/stream"].map((way): [string, unknown] => [
        `${at}/${way}`,
        resumeOf(resume),
      ]),
      [`${at}/runs`, resumeOf(null)],
      [`${at}/runs`, { assistant_id: "agent", command: { resume, goto: "agent" } }],
      [`${at}/runs`, { assistant_id: "agent", command: { goto: ["__end__"] } }],
      [`${at}/state`, { values: {}, as_node: "__end__" }],
      [`/approvals/${approval_id}/decision`, { type: "approve" }],
      ["/approvals/decisions", { decisions: [{ approval_id, type: "approve" }] }],
      [`${at}/approvals/${textOf(approval["tool_call_id"])}`, { type: "approve" }],
      [`/approvals/${approval_id}/shown`, {}],
    ];
    for (const [path, body] of ways)
      expect([path, (await req.post(path, body)).body]).toMatchObject([
        path,
        { status: 403, code: "forbidden" },
      ]);
    expect((await req.post(`${at}/commands`, command)).body).toMatchObject({ error: "permission_denied" });
    const socket = new Socket(`${url.replace("http", "ws")}${at}/stream/events`, { headers: req.headers });
    await new Promise((resolve) => (socket.onopen = resolve));
    const answered = new Promise(
      (resolve) => (socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)))),
    );
    socket.send(JSON.stringify(command));
    expect(await answered).toMatchObject({ type: "error", error: "permission_denied" });
    socket.close();
    expect((await admin.get(`/approvals/${approval_id}`)).body).toMatchObject({
      status: "pending",
      first_shown_at: null,
    });
    expect(effects.deleted).toEqual([]);
  });

  it("sent again joins its run for who sent it, and is told what stands to anybody else", async () => {
    const { rita, rob, approval_id, thread_id, effects } = await paused();
    const send = (person: Person): Promise<{ status: number; body: Json }> =>
      person.post(`/threads/${thread_id}/runs/wait`, resumeOf({ [approval_id]: { type: "approve" } }));
    expect((await send(rita)).status).toBe(200);
    expect((await send(rita)).status).toBe(200);
    const other = await send(rob);
    expect(other.body).toMatchObject({ status: 409, code: "already_decided" });
    expect(other.body["approval"]!["decision"]!["decided_by"]).toEqual({ kind: "user", id: "rita" });
    expect(effects.deleted).toEqual(["a"]);
  });

  it("that names nothing is not taken for the next question when somebody else gave it first", async () => {
    const review = { ask: "one-by-one" as const };
    const server = await people([remove("a", "b"), { content: "done" }], roles, {
      policy: { version: 1, review },
    });
    const { req, rita, rob } = server;
    const thread_id = textOf((await req.post("/threads")).body["thread_id"]);
    await req.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
    const answer = resumeOf({ type: "approve" });
    await rita.post(`/threads/${thread_id}/runs`, answer);
    const query = { status: "pending", thread_id } as const;
    await until(async () => {
      const { approvals } = await server.server.ledger.approvals(query);
      const runs = await server.server.ledger.events({ thread_id });
      return approvals[0]?.args["path"] === "b" && runs.at(-1)?.type === "run_stopped";
    });
    expect((await rob.post(`/threads/${thread_id}/runs/wait`, answer)).body).toMatchObject({ status: 409 });
    expect(server.effects.deleted).toEqual(["a"]);
  });
});

describe("an Idempotency-Key", () => {
  it("is its sender's: with the same one, another gets an answer of their own", async () => {
    const { rita, rob, req, approval_id } = await paused();
    const path = `/approvals/${approval_id}/decision`;
    const key = { "idempotency-key": "k1" };
    expect((await rita.post(path, { type: "reject" }, key)).status).toBe(200);
    const again = await rita.post(path, { type: "reject" }, key);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect((await rob.post(path, { type: "reject" }, key)).body).toMatchObject({ code: "already_decided" });
    expect((await req.post(path, { type: "reject" }, key)).body).toMatchObject({ code: "forbidden" });
  });
});

describe("a thread on which something was decided", () => {
  it("is not deleted by the one who asked, and is by an admin", async () => {
    const { rita, req, admin, thread_id, approval_id } = await paused();
    await rita.post(`/approvals/${approval_id}/decision?wait=10`, { type: "approve" });
    expect(await req.send("DELETE", `/threads/${thread_id}`)).toMatchObject({
      ...{ status: 403, body: { code: "forbidden", needs: ["admin"] } },
    });
    expect((await admin.send("DELETE", `/threads/${thread_id}`)).status).toBe(204);
  });
});
