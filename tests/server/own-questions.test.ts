import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import { bench, call, listOf, resumeOf, runOf, textOf, type Json } from "./bench.ts";

/** A server whose agent has two tools that ask something themselves, and one that needs an approval. */
async function asking() {
  const asked: string[] = [];
  const ask = tool(
    ({ what }: { what: string }) => {
      const answer = interrupt<{ question: string }, string>({ question: what });
      asked.push(`${what}: ${answer}`);
      return answer;
    },
    { name: "ask", description: "Asks.", schema: z.object({ what: z.string() }) },
  );
  const remove = tool(({ path }: { path: string }) => `deleted ${path}`, {
    ...{ name: "delete_file", description: "Deletes.", schema: z.object({ path: z.string() }) },
  });
  const model = scriptedModel(
    [
      {
        tool_calls: [
          call("ask", { what: "colour" }),
          call("ask", { what: "size" }),
          call("delete_file", { path: "a" }),
        ],
      },
      { content: "done" },
    ],
    { strict: true },
  );
  const graph = createApprovalAgent({ model, tools: [withRisk(ask, "auto"), withRisk(remove, "approve")] });
  const server = await bench([], { config: { graphs: { agent: graph } } });
  const thread_id = textOf((await server.post("/threads", {})).body["thread_id"]);
  const path = `/threads/${thread_id}/runs/wait`;
  const { body } = await server.post(path, runOf("go"));
  const open = listOf(body["__interrupt__"]);
  const idOf = (question: string) =>
    textOf(open.find((one) => one["value"]?.["question"] === (question as unknown as Json))?.["id"]);
  const resume = async (answer: unknown) => server.post(path, resumeOf(answer));
  return { ...server, asked, thread_id, idOf, resume };
}

describe("questions that tools ask themselves", () => {
  it("get their own answers, beside a decision, in one map", async () => {
    const { asked, idOf, resume, pending, get, thread_id } = await asking();
    const [approval] = await pending();
    const { status, body } = await resume({
      [idOf("size")]: "large",
      [approval!.approval_id]: { type: "approve" },
      [idOf("colour")]: "red",
    });
    expect(status).toBe(200);
    expect(body["__interrupt__"]).toBeUndefined();
    expect(asked.toSorted()).toEqual(["colour: red", "size: large"]);
    const tools = listOf(body["messages"]).filter((one) => textOf(one["type"]) === "tool");
    expect(tools.map((one) => one["content"])).toEqual(["red", "large", "deleted a"]);
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
  });

  it("are approvals as well, that anybody can answer who answers those", async () => {
    const { asked, pending, post, get, thread_id } = await asking();
    const open = (await pending()).filter(({ kind }) => kind === "interrupt");
    expect(open.map(({ tool }) => tool)).toEqual(["tools", "tools"]);
    for (const { approval_id, args } of open) {
      const { question } = args["value"] as { question: string };
      await post(`/approvals/${approval_id}/decision?wait=10`, {
        type: "respond",
        message: `my ${question}`,
      });
    }
    expect(asked.toSorted()).toEqual(["colour: my colour", "size: my size"]);
    const [left, ...others] = await pending();
    expect([left?.kind, others]).toEqual(["call", []]);
    await post(`/approvals/${left!.approval_id}/decision?wait=10`, { type: "approve" });
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
    const events = listOf((await get(`/audit?thread_id=${thread_id}`)).body["events"]);
    const count = (type: string) => events.filter((event) => textOf(event["type"]) === type).length;
    expect(count("tool_result")).toBe(count("tool_call_started"));
    expect(count("approval_resolved")).toBe(count("approval_requested"));
  });

  it("are not answered by a bare answer, nor by a decision for another question", async () => {
    const { asked, idOf, resume, pending, get, post, thread_id } = await asking();
    const [approval] = await pending();
    for (const bare of ["red", { type: "approve" }, {}])
      expect((await resume(bare)).status).toBeGreaterThanOrEqual(400);
    await post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(asked).toEqual([]);
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("interrupted");
    expect((await resume("red")).body["code"]).toBe("ambiguous");
    const one = await resume({ [idOf("colour")]: "red" });
    expect(listOf(one.body["__interrupt__"]).map(({ id }) => id)).toEqual([idOf("size")]);
    const last = await resume("large");
    expect(last.body["__interrupt__"]).toBeUndefined();
    expect(asked.toSorted()).toEqual(["colour: red", "size: large"]);
  });
});
