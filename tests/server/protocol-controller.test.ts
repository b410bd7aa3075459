import { Client } from "@langchain/langgraph-sdk";
import { StreamController } from "@langchain/langgraph-sdk/stream";
import { afterEach, describe, expect, it } from "vitest";
import { bench, remove, until } from "./bench.ts";
import { Socket, TRANSPORTS, type Transport } from "./follow.ts";

const steps = [remove("a", "b"), { content: "done" }];
const input = { messages: [{ type: "human", content: "go" }] };

const open = new Set<Page>();
afterEach(async () => {
  const all = [...open];
  open.clear();
  await Promise.all(all.map((page) => page.dispose()));
});

type State = { messages: { type: string; content: string }[] };
type Page = StreamController<State>;

/** What `useStream` drives a page with. */
function pageOf(url: string, threadId: string | null, transport: Transport): Page {
  const page = new StreamController<State>({
    client: new Client<State>({ apiUrl: url, callerOptions: { maxRetries: 0 } }),
    ...{ assistantId: "agent", transport, threadId, webSocketFactory: (at: string) => new Socket(at) },
  });
  open.add(page);
  return page;
}

const shown = (page: Page) => page.rootStore.getSnapshot();

describe.each(TRANSPORTS)("a page with useStream over %s", (transport) => {
  it("sends a message, answers, and shows what came of it", async () => {
    const { url, effects } = await bench(steps);
    const page = pageOf(url, null, transport);
    await page.submit(input);
    expect(shown(page)).toMatchObject({ isLoading: false, error: undefined });
    expect(shown(page).interrupts).toHaveLength(2);
    const [first, second] = shown(page).interrupts.map(({ id }) => id!);
    await page.respond({ decisions: [{ type: "approve" }] }, { interruptId: first! });
    await until(() => !shown(page).isLoading && effects.deleted.length === 1);
    await until(() => shown(page).interrupts.length === 1);
    await page.respond({ decisions: [{ type: "reject", message: "no" }] }, { interruptId: second! });
    await until(() => shown(page).messages.at(-1)?.text === "done" && !shown(page).isLoading);
    expect(shown(page)).toMatchObject({ interrupts: [], error: undefined });
    expect(shown(page).messages.map((one) => one.type)).toEqual(["human", "ai", "tool", "tool", "ai"]);
    expect(effects.deleted).toHaveLength(1);
  });

  it("shows the same after a reload, and goes on from there", async () => {
    const { url, effects } = await bench(steps);
    const before = pageOf(url, null, transport);
    await before.submit(input);
    const { threadId } = shown(before);
    await before.dispose();
    const page = pageOf(url, threadId, transport);
    await page.hydrationPromise;
    expect(shown(page).interrupts).toHaveLength(2);
    expect(shown(page).messages).toHaveLength(2);
    const all = shown(page).interrupts.map(({ id }) => [id!, { decisions: [{ type: "approve" }] }]);
    await page.respondAll(Object.fromEntries(all) as Record<string, unknown>);
    await until(() => shown(page).messages.at(-1)?.text === "done" && !shown(page).isLoading);
    expect(shown(page).interrupts).toEqual([]);
    expect(shown(page).toolCalls.map(({ name }) => name)).toEqual(["delete_file", "delete_file"]);
    expect(effects.deleted).toHaveLength(2);
  });

  it("is told when its message meets open questions, and keeps them", async () => {
    const { url, effects, pending } = await bench(steps);
    const page = pageOf(url, null, transport);
    await page.submit(input);
    await page.submit({ messages: [{ type: "human", content: "yes" }] });
    expect(shown(page).error).toMatchObject({ name: "ProtocolError", code: "approval_pending" });
    await until(() => shown(page).interrupts.length === 2);
    expect(await pending()).toHaveLength(2);
    expect(effects.begun).toBe(0);
  });

  it("sees the questions go that somebody else answered", async () => {
    const { url, pending, post } = await bench(steps);
    const page = pageOf(url, null, transport);
    await page.submit(input);
    const decisions = (await pending()).map(({ approval_id }) => ({ approval_id, type: "approve" }));
    await post("/approvals/decisions", { decisions });
    await until(() => shown(page).interrupts.length === 0);
    await until(() => !shown(page).isLoading);
  });

  it("shows why an answer was refused, and the question again", async () => {
    const { url } = await bench(steps);
    const page = pageOf(url, null, transport);
    await page.submit(input);
    const [first] = shown(page).interrupts.map(({ id }) => id!);
    await expect(page.respond({ type: "maybe" }, { interruptId: first! })).rejects.toMatchObject({
      code: "invalid_decision",
    });
    await expect(page.respond({ type: "approve" }, { interruptId: "0".repeat(32) })).rejects.toThrow();
    await until(() => shown(page).interrupts.length === 2);
    await page.respond({ type: "approve" }, { interruptId: first! });
    await until(() => shown(page).interrupts.length === 1 && !shown(page).isLoading);
  });
});
