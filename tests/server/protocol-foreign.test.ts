import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, remove, until } from "./bench.ts";
import { follow, TRANSPORTS } from "./follow.ts";
import { asking, Done, hitlAgent, payment } from "./foreign.ts";

const steps = [remove("a"), { content: "done" }];
const input = { messages: [{ role: "user", content: "pay" }] };

async function started(graph: unknown, transport: (typeof TRANSPORTS)[number], given: unknown = input) {
  const server = await bench(steps, { config: { graphs: { agent: graph } } });
  const follower = follow(
    new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } }),
    "t",
    transport,
  );
  const { stream, lifecycle } = follower;
  await stream.run.start({ input: given });
  await until(() => lifecycle().includes("interrupted"));
  return { ...server, ...follower };
}

describe.each(TRANSPORTS)("a graph that asks by itself, followed over %s", (transport) => {
  it("is answered in the form of LangChain's middleware", async () => {
    const done = new Done();
    const graph = hitlAgent(done, [payment("ann", "bob"), { content: "paid" }]);
    const { stream, lifecycle, pending } = await started(graph, transport);
    expect(await pending("t")).toHaveLength(2);
    const [asked] = stream.interrupts;
    expect(asked?.payload).toMatchObject({ actionRequests: [{ name: "pay" }, { name: "pay" }] });
    const edited = { name: "pay", args: { to: "bob", amount: 1 } };
    const decisions = [{ type: "approve" }, { type: "edit", editedAction: edited }];
    await stream.input.respond({ namespace: [], interrupt_id: asked!.interruptId, response: { decisions } });
    await until(() => lifecycle().includes("completed"));
    expect(done.paid).toEqual([
      { to: "ann", amount: 10 },
      { to: "bob", amount: 1 },
    ]);
  });

  it("takes no answer that is for another question, though only one is open", async () => {
    const done = new Done();
    const { stream, lifecycle } = await started(
      asking(done, { one: ["really?", "how many?"] }),
      transport,
      {},
    );
    const [first] = stream.interrupts;
    const respond = (interrupt_id: string, response: unknown) =>
      stream.input.respond({ namespace: [], interrupt_id, response });
    await expect(respond("0".repeat(32), "yes")).rejects.toMatchObject({ code: "no_such_interrupt" });
    await until(() => lifecycle().at(-1) === "interrupted");
    await respond(first!.interruptId, "yes");
    await until(() => lifecycle().length === 6 && lifecycle().at(-1) === "interrupted");
    const second = stream.interrupts.find(({ payload }) => payload === "how many?");
    await expect(respond(first!.interruptId, "no")).rejects.toMatchObject({ name: "ProtocolError" });
    await respond(second!.interruptId, 3);
    await until(() => lifecycle().includes("completed"));
    expect(done.answers).toEqual(["yes", 3]);
  });
});
