import { afterEach, describe, expect, it } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import { openLedger, type Ledger } from "../../src/ledger/index.ts";
import { bench, listOf, remove, runOf, textOf, type Bench, type Client } from "./bench.ts";
import { people } from "./identity-bench.ts";

const turns = (...paths: string[]) => paths.flatMap((path) => [remove(path), { content: `${path} done` }]);
const put = (server: Client, thread_id: string, mode: string) =>
  fetch(`${server.url}/threads/${thread_id}/mode`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ mode }),
  }).then(async (answer) => ({
    status: answer.status,
    body: (await answer.json()) as Record<string, unknown>,
  }));
const modeOf = async (server: Client, thread_id: string) =>
  (await server.get(`/threads/${thread_id}/mode`)).body;
const newThread = async (server: Client) => textOf((await server.post("/threads", {})).body["thread_id"]);
const go = (server: Client, thread_id: string) => server.post(`/threads/${thread_id}/runs/wait`, runOf("go"));

/** How the newest question of a thread stands, and who decided it. */
async function newest(server: Client, thread_id: string): Promise<unknown> {
  const { body } = await server.get(`/approvals?status=all&thread_id=${thread_id}`);
  const { status, decision } = listOf(body["approvals"]).at(-1) as { status: unknown; decision: unknown };
  return { status, by: (decision as { decided_by: { kind: string } } | null)?.decided_by.kind };
}

const ledgers: Ledger[] = [];
afterEach(async () => {
  for (const ledger of ledgers.splice(0)) await ledger.close();
});

async function deskOn({ store }: Bench) {
  const ledger = await openLedger(store);
  ledgers.push(ledger);
  return openDesk(ledger);
}

describe("a thread's own mode", () => {
  it("is what policy and run say until it is set; then it holds from the next call on, and is lifted again", async () => {
    const one = await bench(turns("a", "b"));
    const thread_id = await newThread(one);
    expect(await modeOf(one, thread_id)).toEqual({ mode: "interactive", own: null });
    expect(await put(one, thread_id, "never")).toMatchObject({ status: 200, body: { own: "never" } });
    await go(one, thread_id);
    expect(await newest(one, thread_id)).toEqual({ status: "rejected", by: "policy" });
    expect(await modeOf(one, thread_id)).toEqual({ mode: "never", own: "never", base: "interactive" });
    expect(await put(one, thread_id, "interactive")).toMatchObject({ body: { mode: "interactive" } });
    await go(one, thread_id);
    expect(await one.pending(thread_id)).toHaveLength(1);
  });

  it("leaves its row in the ledger, with who set it, and none for the same mode again", async () => {
    const one = await people(turns("a"), { rita: ["reviewer"], ana: ["requester"] });
    const thread_id = textOf((await one.ana.post("/threads")).body["thread_id"]);
    for (const mode of ["never", "never", "interactive"])
      expect(await one.rita.send("PUT", `/threads/${thread_id}/mode`, { mode })).toMatchObject({
        status: 200,
      });
    const events = listOf((await one.rita.get(`/audit?thread_id=${thread_id}`)).body["events"]);
    expect(events).toMatchObject([
      { type: "mode_set", mode: "never", by: { kind: "user", id: "rita" } },
      { type: "mode_set", mode: "interactive", by: { kind: "user", id: "rita" } },
    ]);
    expect((await one.rita.get("/audit/verify")).body).toMatchObject({ ok: true });
  });

  it("leaves open questions open, and what is asked after their answer is under it", async () => {
    const one = await bench([remove("a"), remove("b"), { content: "done" }]);
    const { thread_id } = await one.begin();
    await put(one, thread_id, "never");
    const [approval] = await one.pending(thread_id);
    await one.post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(one.effects.deleted).toEqual(["a"]);
    expect(await newest(one, thread_id)).toEqual({ status: "rejected", by: "policy" });
  });

  it("is never milder than policy and run say", async () => {
    const strict = await bench(turns("a"), { policy: { version: 1, mode: "fail_closed" } });
    const thread_id = await newThread(strict);
    await put(strict, thread_id, "never");
    await go(strict, thread_id);
    expect(await newest(strict, thread_id)).toMatchObject({ status: "unavailable" });
    expect(await modeOf(strict, thread_id)).toEqual({
      mode: "fail_closed",
      own: "never",
      base: "fail_closed",
    });

    const open = await bench(turns("a"));
    const other = await newThread(open);
    await put(open, other, "interactive");
    await open.post(`/threads/${other}/runs/wait`, runOf("go", { context: { mode: "never" } }));
    expect(await newest(open, other)).toEqual({ status: "rejected", by: "policy" });
    expect(await modeOf(open, other)).toEqual({ mode: "never", own: "interactive", base: "never" });
  });

  it("may end runs that would ask, as fail_closed does", async () => {
    const one = await bench(turns("a"));
    const thread_id = await newThread(one);
    await put(one, thread_id, "fail_closed");
    await go(one, thread_id);
    expect(await newest(one, thread_id)).toMatchObject({ status: "unavailable" });
    expect((await one.get(`/threads/${thread_id}`)).body["status"]).toBe("error");
    const [run] = listOf((await one.get(`/threads/${thread_id}/runs`)).body);
    expect(run).toMatchObject({ status: "error" });
  });

  it("is obeyed by another server on the same store, and by whoever else works on it", async () => {
    const one = await bench(turns("a", "b", "c"));
    const other = await bench(turns("a", "b", "c"), { store: one.store, effects: one.effects });
    const thread_id = await newThread(one);
    await put(one, thread_id, "never");
    await go(other, thread_id);
    expect(await newest(other, thread_id)).toEqual({ status: "rejected", by: "policy" });
    const desk = await deskOn(one);
    expect(await desk.setMode(thread_id, "interactive")).toEqual({ mode: "interactive", own: "interactive" });
    await go(other, thread_id);
    expect(await other.pending(thread_id)).toHaveLength(1);
    expect(await modeOf(one, thread_id)).toMatchObject({ own: "interactive" });
  });

  it("brings no old consent back: a later rejection of the same call still outranks it", async () => {
    const rejected = 55;
    const script = [
      remove("a", "a"),
      { content: "done" },
      ...turns(...Array.from({ length: 56 }, () => "a")),
    ];
    const one = await bench(script, { policy: { version: 1, fatigue: { repeat: { afterReject: "ask" } } } });
    const { thread_id } = await one.begin();
    const [first, second] = await one.pending(thread_id);
    const decide = (approval_id: string, decision: object) =>
      one.post(`/approvals/${approval_id}/decision?wait=10`, decision);
    await decide(first!.approval_id, { type: "approve", remember: { scope: "thread", match: "exact" } });
    await decide(second!.approval_id, { type: "reject" });
    expect(listOf((await one.get("/grants")).body["grants"])).toMatchObject([{ status: "active" }]);
    await put(one, thread_id, "never");
    // More than are looked back at.
    for (let n = 0; n < rejected; n += 1) await go(one, thread_id);
    expect(await newest(one, thread_id)).toEqual({ status: "rejected", by: "policy" });
    await put(one, thread_id, "interactive");
    await go(one, thread_id);
    expect(await one.pending(thread_id)).toHaveLength(1);
    expect(one.effects.deleted).toEqual(["a"]);
  });

  it("goes with the thread: one of the same name has none", async () => {
    const one = await bench(turns("a"));
    await one.post("/threads", { thread_id: "t" });
    await put(one, "t", "never");
    expect((await one.remove("/threads/t")).status).toBe(204);
    expect(await modeOf(one, "t")).toMatchObject({ code: "thread_not_found" });
    await one.post("/threads", { thread_id: "t" });
    expect(await modeOf(one, "t")).toEqual({ mode: "interactive", own: null });
  });

  it("is of threads that there are, and one of three", async () => {
    const one = await bench([]);
    expect(await put(one, "none", "never")).toMatchObject({
      status: 404,
      body: { code: "thread_not_found" },
    });
    const thread_id = await newThread(one);
    for (const mode of ["nevr", "", "approve"])
      expect(await put(one, thread_id, mode)).toMatchObject({
        status: 422,
        body: { code: "invalid_request" },
      });
    expect(await modeOf(one, thread_id)).toEqual({ mode: "interactive", own: null });
  });
});

describe("who sets a thread's mode", () => {
  it("its owner may tighten it, and only a reviewer lifts it", async () => {
    const one = await people(turns("a"), {
      ...{ ana: ["requester"], bob: ["requester"], vic: ["viewer"], rita: ["reviewer"], all: ["admin"] },
    });
    const thread_id = textOf((await one.ana.post("/threads")).body["thread_id"]);
    const sent = (person: typeof one.ana, mode: string) =>
      person.send("PUT", `/threads/${thread_id}/mode`, { mode });
    expect(await sent(one.bob, "never")).toMatchObject({ status: 404 });
    expect(await sent(one.vic, "never")).toMatchObject({ status: 403 });
    expect(await sent(one.ana, "never")).toMatchObject({ status: 200, body: { mode: "never" } });
    expect(await sent(one.ana, "fail_closed")).toMatchObject({ status: 200 });
    expect(await sent(one.ana, "never")).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await sent(one.rita, "never")).toMatchObject({ status: 200 });
    expect(await sent(one.ana, "interactive")).toMatchObject({ status: 403 });
    expect(await sent(one.all, "interactive")).toMatchObject({ status: 200, body: { own: "interactive" } });
    expect(await one.vic.get(`/threads/${thread_id}/mode`)).toMatchObject({ status: 200 });
  });
});
