import { describe, expect, it } from "vitest";
import { handClock, openQuestion } from "../desk/support.ts";
import { bench, remove, until, type Bench } from "./bench.ts";
import { receiver, type Receiver } from "./receiver.ts";

const HOUR = 3_600_000;
const steps = [remove("a"), { content: "done" }];
const settle = (ms = 1_300) => new Promise((resolve) => setTimeout(resolve, ms));

async function quietly(answer?: Parameters<typeof receiver>[0]) {
  const hook = await receiver(answer);
  const clock = handClock();
  const options = { allowWebhookHosts: ["localhost"], notices: [{ url: hook.url }], clock: clock.now };
  const server = await bench(steps, options);
  const quiet_until = new Date(clock.now() + HOUR).toISOString();
  const ask = (name: string, more: { thread_id?: string; quiet_until?: string } = {}) =>
    openQuestion(server.server.ledger, { name, args: { path: name }, quiet_until, ...more });
  return { hook, clock, server, options, ask };
}

const idsIn = ({ received }: Receiver, index = 0): string[] =>
  received[index]!.approvals.map(({ approval }) => approval.approval_id).sort();

describe("approvals that are asked quietly", () => {
  it("are told together, once, when the time of quiet is over, those that still wait", async () => {
    const { hook, clock, server, ask } = await quietly();
    const [one, two, decided] = [await ask("1"), await ask("2"), await ask("3")];
    const later = await ask("4", { quiet_until: new Date(clock.now() + 2 * HOUR).toISOString() });
    await server.post(`/approvals/${decided.approval_id}/decision`, { type: "reject" });
    await until(() => hook.received.length === 1);
    await settle();
    expect(hook.types()).toEqual(["approval.resolved"]);
    clock.move(HOUR);
    await until(() => hook.received.length === 2);
    const digest = hook.received[1]!;
    expect(digest).toMatchObject({ type: "approval.digest", at: new Date(clock.now()).toISOString() });
    expect(digest.data).toMatchObject({ count: 3, link: `${server.url}/approvals` });
    expect(idsIn(hook, 1)).toEqual([one, two, later].map(({ approval_id }) => approval_id).sort());
    for (const { approval, link } of digest.approvals)
      expect(link).toBe(`${server.url}/approvals/${approval.approval_id}`);
    clock.move(2 * HOUR);
    await settle();
    expect(hook.received).toHaveLength(2);
    expect(server.errors).toEqual([]);
  });

  it("are told of one by one when their time of quiet was over before anybody looked", async () => {
    const { hook, clock, ask } = await quietly();
    await ask("1", { quiet_until: new Date(clock.now() - 1).toISOString() });
    await until(() => hook.received.length === 1);
    expect(hook.types()).toEqual(["approval.asked"]);
  });

  it("are not told of when none of them waits any more", async () => {
    const { hook, clock, server, ask } = await quietly();
    const { approval_id } = await ask("1");
    await server.post(`/approvals/${approval_id}/decision`, { type: "reject" });
    clock.move(HOUR);
    await settle();
    expect(hook.types()).toEqual(["approval.resolved"]);
  });

  it("are told once by two servers, and by the next one after a stop", async () => {
    const { hook, clock, server, options, ask } = await quietly();
    const other = await bench(steps, { ...options, store: server.store });
    await ask("1");
    await ask("2");
    await settle();
    await other.server.stop();
    const next: Bench = await server.restart();
    await bench(steps, { ...options, store: server.store });
    clock.move(HOUR);
    await until(() => hook.received.length > 0);
    await settle(2_000);
    expect(hook.types()).toEqual(["approval.digest"]);
    expect(hook.received[0]!.data).toMatchObject({ count: 2 });
    expect(next.errors).toEqual([]);
  });
});

describe("a thread that is deleted", () => {
  const admin = async ({ remove: erase }: Bench, thread_id: string) => {
    expect((await erase(`/threads/${thread_id}`)).status).toBeLessThan(300);
  };

  it("is in no notice that is still to be told, and in no digest", async () => {
    let isUp = false;
    const { hook, clock, server, ask } = await quietly(
      (response) => void response.writeHead(isUp ? 200 : 500).end(),
    );
    const { thread_id } = await server.begin();
    await until(() => hook.received.length === 1);
    const kept = await ask("1");
    const gone = await ask("2", { thread_id });
    await settle();
    clock.move(HOUR);
    await until(() => hook.types().includes("approval.digest"));
    expect(idsIn(hook, hook.types().indexOf("approval.digest"))).toContain(gone.approval_id);
    await admin(server, thread_id);
    const before = hook.received.length;
    isUp = true;
    await until(() => hook.received.length > before, 12_000);
    await settle(2_000);
    const after = hook.received.slice(before);
    expect(after.map(({ type }) => type)).toEqual(["approval.digest"]);
    expect(after[0]!.data).toMatchObject({ count: 1 });
    expect(after[0]!.text).not.toContain(thread_id);
    expect(after[0]!.approvals[0]!.approval.approval_id).toBe(kept.approval_id);
  }, 20_000);

  it("is in no digest to come", async () => {
    const { hook, clock, server, ask } = await quietly();
    const { thread_id } = await server.begin();
    await ask("2", { thread_id });
    await until(() => hook.received.length === 1);
    await admin(server, thread_id);
    clock.move(HOUR);
    await settle();
    expect(hook.types()).not.toContain("approval.digest");
  });
});
