import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { createServer, type ServerOptions } from "../../src/wire.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { handClock, openQuestion } from "../desk/support.ts";
import { agent, bench, Effects, folder, remove, until, type BenchOptions } from "./bench.ts";
import { receiver, signatureFor, type Receiver } from "./receiver.ts";

const steps = [remove("a"), { content: "done" }];
const allowWebhookHosts = ["localhost"];
const told = ({ url }: Receiver, more: object = {}): BenchOptions => ({
  allowWebhookHosts,
  notices: [{ url, ...more }],
});
const settle = (ms = 1_300) => new Promise((resolve) => setTimeout(resolve, ms));

describe("a notice", () => {
  it("tells that an approval was asked and how it ended, with a link to it", async () => {
    const hook = await receiver();
    const server = await bench(steps, told(hook));
    await server.begin();
    await until(() => hook.received.length === 1);
    const [approval] = await server.pending();
    const { approval_id } = approval!;
    const link = `${server.url}/approvals/${approval_id}`;
    expect(hook.received[0]).toMatchObject({
      ...{ type: "approval.asked", at: approval!.requested_at, data: { approval, link } },
    });
    await server.post(`/approvals/${approval_id}/decision?wait=10`, { type: "reject", message: "no" });
    await until(() => hook.received.length === 2);
    expect(hook.received[1]).toMatchObject({
      ...{ type: "approval.resolved", data: { link } },
      approvals: [{ approval: { approval_id, status: "rejected", decision: { message: "no" } } }],
    });
    expect(new Set(hook.received.map(({ id }) => id)).size).toBe(2);
    expect(server.errors).toEqual([]);
  });

  it("tells that little time is left, and that a question went to its next group", async () => {
    const hook = await receiver();
    const { now, move } = handClock();
    const { server } = await bench(steps, { ...told(hook), clock: now });
    const escalate = [{ group: "leads", reviewers: ["u_3"] }];
    const { approval_id } = await openQuestion(server.ledger, {
      ...{ timeout_ms: 80_000, expires_at: new Date(now() + 80_000).toISOString() },
      ...{ on_timeout: "escalate", escalate, reviewers: ["u_1"] },
    });
    move(61_000);
    await until(() => hook.types().includes("approval.warned"));
    move(20_000);
    await until(() => hook.types().includes("approval.escalated"));
    expect(hook.types()).toEqual(["approval.asked", "approval.warned", "approval.escalated"]);
    expect(hook.received[2]!.approvals[0]!.approval).toMatchObject({
      ...{ approval_id, escalated: 1, reviewers: ["u_1", "u_3"] },
    });
  });

  it("is about nothing but what the target wants to hear", async () => {
    const [all, ends] = [await receiver(), await receiver()];
    const notices = [{ url: all.url }, { url: ends.url, events: ["resolved"] as const }];
    const server = await bench(steps, { allowWebhookHosts, notices });
    await server.begin();
    const [approval] = await server.pending();
    await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    await until(() => all.received.length === 2 && ends.received.length === 1);
    expect(all.types()).toEqual(["approval.asked", "approval.resolved"]);
    expect(ends.types()).toEqual(["approval.resolved"]);
    // Each target has ids of its own.
    expect(ends.received[0]!.id).not.toBe(all.received[1]!.id);
  });

  it("tells nothing of calls that run at once, are announced, or that policy settles by itself", async () => {
    const hook = await receiver();
    const step = {
      tool_calls: [
        { name: "read_file", args: { path: "a" }, id: "r" },
        { name: "delete_file", args: { path: "b" }, id: "d" },
      ],
    };
    const policy = { version: 1 as const, mode: "never" as const };
    const server = await bench([step, { content: "done" }], { ...told(hook), policy });
    await server.begin();
    const resolved = await server.get("/approvals?status=all");
    expect(resolved.body["approvals"]).toHaveLength(1);
    await settle();
    expect(hook.received).toEqual([]);
  });

  it("names the address that people reach the server at", async () => {
    const hook = await receiver();
    const server = await bench(steps, { ...told(hook), publicUrl: "https://approve.example.com/desk/" });
    await server.begin();
    await until(() => hook.received.length === 1);
    const [approval] = await server.pending();
    expect(hook.received[0]!.approvals[0]!.link).toBe(
      `https://approve.example.com/desk/approvals/${approval!.approval_id}`,
    );
  });

  it("hides what policy masks, as from everybody who looks", async () => {
    const hook = await receiver();
    const policy = { version: 1 as const, mask: ["path"] };
    const step = { tool_calls: [{ name: "delete_file", args: { path: "hunter2" }, id: "c_1" }] };
    const server = await bench([step, { content: "done" }], { ...told(hook), policy });
    await server.begin();
    const [approval] = await server.pending();
    const edit = { type: "edit", args: { path: "swordfish" } };
    await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, edit);
    await until(() => hook.received.length >= 2);
    expect(hook.received[0]!.approvals[0]!.approval.args).toEqual({ path: "***" });
    for (const { text } of hook.received) expect(text).not.toMatch(/hunter2|swordfish/);
  });
});

describe("the signature of a notice", () => {
  const bytes = randomBytes(32);

  it.each([
    ["whsec_ and base64", `whsec_${bytes.toString("base64")}`, bytes],
    ["any text", "a secret of mine", Buffer.from("a secret of mine")],
  ])("is that of Standard Webhooks, for %s", async (_, secret, key) => {
    const hook = await receiver();
    const server = await bench(steps, told(hook, { secret }));
    await server.begin();
    await until(() => hook.received.length === 1);
    const [notice] = hook.received;
    expect(notice!.signature).toBe(signatureFor(notice!, key));
    expect(Math.abs(notice!.timestamp - Date.now() / 1_000)).toBeLessThan(10);
    const other = { ...notice!, text: notice!.text.replace("delete_file", "read_file") };
    expect(signatureFor(other, key)).not.toBe(notice!.signature);
  });

  it("is left out without a secret", async () => {
    const hook = await receiver();
    const server = await bench(steps, told(hook));
    await server.begin();
    await until(() => hook.received.length === 1);
    expect(hook.received[0]!.signature).toBeUndefined();
  });
});

describe("a receiver that fails", () => {
  it("is told again, the same under the same id, signed anew", async () => {
    const hook = await receiver((response, _, count) => void response.writeHead(count < 2 ? 503 : 204).end());
    const server = await bench(steps, told(hook, { secret: "s" }));
    await server.begin();
    await until(() => hook.received.length === 2);
    const [first, second] = hook.received;
    expect([second!.id, second!.text]).toEqual([first!.id, first!.text]);
    expect(second!.signature).toBe(signatureFor(second!, Buffer.from("s")));
    await settle(1_500);
    expect(hook.received).toHaveLength(2);
  });

  it("hears of each approval in order, and holds up no other", async () => {
    let failed = "";
    const hook = await receiver((response, notice) => {
      const { approval } = notice.approvals[0]!;
      if (failed === "") failed = approval.approval_id;
      const isFirst = hook.received.filter(({ id }) => id === notice.id).length === 1;
      response.writeHead(failed === approval.approval_id && isFirst ? 500 : 200).end();
    });
    const server = await bench([remove("a", "b"), { content: "done" }], told(hook));
    await server.begin();
    await until(() => hook.received.length === 2);
    const decisions = (await server.pending()).map(({ approval_id }) => ({ approval_id, type: "approve" }));
    await server.post("/approvals/decisions?wait=10", { decisions });
    await until(() => hook.received.length === 6);
    const of = (isFailed: boolean) =>
      hook.received
        .filter(({ approvals: [one] }) => (one!.approval.approval_id === failed) === isFailed)
        .map(({ type }) => type);
    expect(of(true)).toEqual(["approval.asked", "approval.asked", "approval.resolved", "approval.resolved"]);
    expect(of(false)).toEqual(["approval.asked", "approval.resolved"]);
  });

  it("holds up no run, and no decision", async () => {
    const hook = await receiver(() => undefined);
    const server = await bench(steps, told(hook));
    await server.begin();
    const [approval] = await server.pending();
    const at = performance.now();
    const decided = await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, {
      type: "approve",
    });
    expect(decided.body["approval"]).toMatchObject({ execution: { state: "succeeded" } });
    expect(performance.now() - at).toBeLessThan(5_000);
    expect(server.effects.deleted).toEqual(["a"]);
  });
});

describe("notices of a server that stops", () => {
  it("are told by the next one, also of what was written between them", async () => {
    const hook = await receiver((response) => void response.writeHead(isUp ? 200 : 500).end());
    let isUp = false;
    const { now } = handClock();
    const first = await bench(steps, { ...told(hook), clock: now });
    await first.begin();
    await until(() => hook.received.length === 1);
    await first.server.stop();
    const ledger = await openLedger(first.store);
    const { approval_id } = await openQuestion(ledger);
    await ledger.close();
    isUp = true;
    const second = await first.restart();
    await until(() => hook.received.length === 3);
    const [failed, ...heard] = hook.received;
    expect(heard.filter(({ id }) => id === failed!.id).map(({ text }) => text)).toEqual([failed!.text]);
    expect(heard.some(({ approvals: [one] }) => one!.approval.approval_id === approval_id)).toBe(true);
    await second.restart();
    await settle();
    expect(hook.received).toHaveLength(3);
  });

  it("begin with what happens after there was a target, and do not tell what is long over", async () => {
    const hook = await receiver();
    const { now, move } = handClock();
    const first = await bench(steps, { clock: now });
    await openQuestion(first.server.ledger);
    const second = await first.restart(told(hook));
    await second.server.stop();
    const ledger = await openLedger(first.store);
    await openQuestion(ledger, { name: "old" });
    await ledger.close();
    move(8 * 24 * 3_600_000);
    const third = await second.restart(told(hook));
    await third.begin();
    await until(() => hook.received.length > 0);
    await settle();
    expect(hook.received).toHaveLength(1);
    expect(hook.received[0]!.approvals[0]!.approval.args).toEqual({ path: "a" });
  });
});

describe("two servers on one store", () => {
  it("tell each notice once, whoever of them asked and decided", async () => {
    const hook = await receiver();
    const one = await bench([remove("$text"), { content: "done" }], told(hook));
    const two = await bench([remove("$text"), { content: "done" }], { ...told(hook), store: one.store });
    for (const home of [one, two, one, two, one, two]) await home.begin();
    const decisions = (await two.pending()).map(({ approval_id }) => ({ approval_id, type: "reject" }));
    expect(decisions).toHaveLength(6);
    await two.post("/approvals/decisions?wait=10", { decisions });
    await until(() => hook.received.length >= 12);
    await settle(2_000);
    expect(hook.received).toHaveLength(12);
    expect(new Set(hook.received.map(({ id }) => id)).size).toBe(12);
    expect([...one.errors, ...two.errors]).toEqual([]);
  });

  it("leave each other the targets that only one of them has", async () => {
    const [mine, yours] = [await receiver(), await receiver()];
    const one = await bench(steps, told(mine));
    await bench(steps, { ...told(yours), store: one.store });
    await one.begin();
    await until(() => mine.received.length > 0 && yours.received.length > 0);
    await settle();
    expect([mine.types(), yours.types()]).toEqual([["approval.asked"], ["approval.asked"]]);
  });
});

const postgres = postgresUrl();

describe.skipIf(postgres === undefined)("notices of servers on PostgreSQL", () => {
  it("are told once each, in order, and the quiet ones together", async () => {
    const hook = await receiver();
    const { now, move } = handClock();
    const options = { ...told(hook), store: postgres!, clock: now };
    const [one, two] = [await bench(steps, options), await bench(steps, options)];
    const asked = await openQuestion(one.server.ledger);
    const quiet_until = new Date(now() + 60_000).toISOString();
    const quiet = await openQuestion(two.server.ledger, { name: "quiet", quiet_until });
    await until(() => hook.received.length === 1);
    await two.post(`/approvals/${asked.approval_id}/decision`, { type: "reject" });
    await settle();
    move(60_000);
    await until(() => hook.received.length === 3);
    await settle(2_000);
    expect(hook.types()).toEqual(["approval.asked", "approval.resolved", "approval.digest"]);
    expect(hook.received[2]!.approvals[0]!.approval.approval_id).toBe(quiet.approval_id);
    expect((await one.remove("/threads/t1")).status).toBeLessThan(500);
    expect([...one.errors, ...two.errors]).toEqual([]);
  });
});

describe("a target that cannot be meant", () => {
  const graphs = { agent: agent(new Effects(), []) };
  const start = async (options: Partial<ServerOptions>) => {
    const file = join(folder(), "state.db");
    const refused = await createServer({ config: { graphs }, store: `file:${file}`, ...options }).then(
      (server) => server.stop(),
      (error: unknown) => error,
    );
    return { refused, isThere: existsSync(file) };
  };

  it.each([
    ["a private address", "http://10.0.0.1/my-key", /10\.0\.0\.1 .*--allow-webhook-host/],
    ["this machine", "http://localhost:9/my-key", /localhost:9 .*--allow-webhook-host/],
    ["one that names a user", "https://me:pw@example.com/", /no user name and no password/],
    ["no address", "example.com", /no address of the web/],
    ["another protocol", "ftp://example.com/", /no address of the web/],
  ])("is refused in one line before the store is made: %s", async (_, url, message) => {
    const { refused, isThere } = await start({ notices: [{ url }] });
    expect(refused).toMatchObject({ code: "bad_notice", message: expect.stringMatching(message) as string });
    expect((refused as Error).message).not.toMatch(/\n|pw|my-key/);
    expect(isThere).toBe(false);
  });

  it("is refused with a secret that is none, twice, or with nothing to tell", async () => {
    const url = "https://example.com/hook";
    const bad: ServerOptions["notices"][] = [
      [{ url, secret: "whsec_not base64!" }],
      [{ url, secret: "" }],
      [{ url }, { url: "https://EXAMPLE.com:443/hook" }],
      [{ url, events: [] }],
      [{ url, events: ["asked", "denied" as "asked"] }],
    ];
    for (const notices of bad.map((one) => one ?? []))
      expect((await start({ notices })).refused).toMatchObject({ code: "bad_notice" });
    for (const publicUrl of ["example.com", "https://example.com/?x=1", "ftp://example.com"])
      expect((await start({ publicUrl })).refused).toMatchObject({ code: "bad_public_url" });
  });
});
