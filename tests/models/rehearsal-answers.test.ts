import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage, ToolCall } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { editedText } from "../../src/graph/texts.ts";
import { assertProviderValid } from "../../src/models/index.ts";
import { bound } from "./bound-rehearsal.ts";

/** Asks, answers each call with what `answer` says, and gives what the model says then. */
async function afterAnswers(
  request: string,
  answer: (call: ToolCall) => { content: string; outcome?: string; error?: boolean },
): Promise<AIMessage> {
  const first = await bound().invoke([new HumanMessage(request)]);
  const history: BaseMessage[] = [new HumanMessage(request), first];
  for (const call of first.tool_calls ?? []) {
    const { content, outcome, error } = answer(call);
    history.push(
      new ToolMessage({
        content,
        tool_call_id: call.id ?? "",
        name: call.name,
        status: error === true ? "error" : "success",
        artifact: outcome === undefined ? undefined : { outcome },
      }),
    );
  }
  assertProviderValid(history);
  return bound().invoke(history);
}

const rejected = {
  content: 'Nothing was done: a reviewer rejected this call. Reason: "keep it". Do not repeat this call.',
  outcome: "rejected",
  error: true,
};

describe("the rehearsal model after its calls", () => {
  it("says what really ran when a reviewer changed the call", async () => {
    const message = await afterAnswers("delete notes/old.md", () => ({
      content: `Deleted a.md.\n\n${editedText("delete_file", { path: "a.md" })}`,
    }));
    expect(message.text).toContain("delete a.md");
    expect(message.text).not.toContain("notes/old.md");
  });

  it("shows results and says what was done", async () => {
    const message = await afterAnswers("delete notes/old.md and show me notes/todo.md", (call) => ({
      content: call.name === "read_file" ? "# To do" : "Deleted notes/old.md.",
    }));
    expect(message.tool_calls).toEqual([]);
    expect(message.text).toContain("Done: delete notes/old.md.");
    expect(message.text).toContain("# To do");
  });

  it.each([
    ["delete notes/old.md", "rejected", /keep it/u, /What would you like\?/u],
    ["删除 notes/old.md", "拒绝", /keep it/u, /您想怎么做？/u],
  ])(
    "does not repeat a rejected call, names the reason, offers another way: %s",
    async (request, word, reason, offer) => {
      const message = await afterAnswers(request, () => rejected);
      expect(message.tool_calls).toEqual([]);
      expect(message.text).toContain(word);
      expect(message.text).toMatch(reason);
      expect(message.text).toMatch(offer);
    },
  );

  it.each([
    ["expired", /Nobody answered in time; nobody refused it/u],
    ["unavailable", /nobody is there to give it/u],
    ["cancelled", /withdrawn/u],
    ["denied", /Key files are off limits/u],
    ["unknown", /not known whether/u],
    ["responded", /A person answered in its place/u],
  ])("tells a call that ended as %s apart", async (outcome, words) => {
    const message = await afterAnswers("delete a.txt", () => ({
      content:
        "Nothing was done: policy does not allow this call. Key files are off limits. Do not repeat this call.",
      outcome,
      error: outcome !== "responded",
    }));
    expect(message.tool_calls).toEqual([]);
    expect(message.text).toMatch(words);
  });

  it("says that a tool failed, and does not call it a rejection", async () => {
    const message = await afterAnswers("delete a.txt", () => ({
      content: "There is no a.txt.",
      error: true,
      outcome: "failed",
    }));
    expect(message.text).toMatch(/Failed: delete a\.txt\. There is no a\.txt/u);
    expect(message.text).not.toMatch(/reject/u);
  });

  it("goes on with what was to come then, once the first part is done", async () => {
    const message = await afterAnswers("write hi to a.txt, then read a.txt", () => ({
      content: "Wrote 2 bytes to a.txt.",
    }));
    expect(message.tool_calls).toMatchObject([{ name: "read_file", args: { path: "a.txt" } }]);
  });

  it("does not go on when the first part was rejected", async () => {
    const message = await afterAnswers("write hi to a.txt, then read a.txt", () => rejected);
    expect(message.tool_calls).toEqual([]);
    expect(message.text).toContain("Not started");
  });

  it("follows a new request after a rejection, also the same one", async () => {
    const first = await bound().invoke([new HumanMessage("delete a.txt")]);
    const id = first.tool_calls?.[0]?.id ?? "";
    const message = await bound().invoke([
      new HumanMessage("delete a.txt"),
      first,
      new ToolMessage({
        content: rejected.content,
        tool_call_id: id,
        status: "error",
        artifact: { outcome: "rejected" },
      }),
      new AIMessage("Not done."),
      new HumanMessage("delete a.txt"),
    ]);
    expect(message.tool_calls).toMatchObject([{ name: "delete_file", args: { path: "a.txt" } }]);
    expect(message.tool_calls?.[0]?.id).not.toBe(id);
  });
});
