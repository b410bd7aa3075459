import { AIMessage, AIMessageChunk, ToolMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secrets } from "../../src/policy/index.ts";
import { learnFrom, maskPayload, type Veil } from "../../src/server/masking/mask-json.ts";
import { StreamMask } from "../../src/server/masking/stream-mask.ts";
import { ThreadMask } from "../../src/server/masking/thread-mask.ts";
import { toPlain } from "../../src/server/to-json.ts";

const SECRET = "hunter2-hunter2";

function veil(...masks: string[]): Veil {
  return { masks: masks.length === 0 ? ["**.password"] : masks, secrets: new Secrets() };
}

/** What people see of a value that is shown as a whole. */
function shown(value: unknown, under = veil()): unknown {
  const json = toPlain(value);
  learnFrom(json, under);
  return maskPayload(json, under);
}

const args = { user: "ada", password: SECRET };
const hidden = { user: "ada", password: "***" };

describe("what a thread shows", () => {
  it("has no secret in the calls of a message, in whichever form", () => {
    const message = new AIMessage({
      content: [{ type: "tool_use", id: "1", name: "login", input: args }],
      tool_calls: [{ id: "1", name: "login", args }],
      additional_kwargs: {
        tool_calls: [
          { id: "1", type: "function", function: { name: "login", arguments: JSON.stringify(args) } },
        ],
      },
      invalid_tool_calls: [{ id: "2", name: "login", args: `{"password":"${SECRET}`, error: "cut off" }],
    });
    expect(shown(message)).toMatchObject({
      content: [{ type: "tool_use", input: hidden }],
      tool_calls: [{ args: hidden }],
      additional_kwargs: { tool_calls: [{ function: { arguments: JSON.stringify(hidden) } }] },
      invalid_tool_calls: [{ args: "***" }],
    });
  });
  it("has no secret in arguments that come piece by piece", () => {
    const piece = new AIMessageChunk({
      content: [{ type: "input_json_delta", input: `"${SECRET}"}`, index: 0 }],
      tool_call_chunks: [{ type: "tool_call_chunk", args: `{"password":"${SECRET}"`, index: 0 }],
    });
    expect(JSON.stringify(maskPayload(toPlain(piece), veil()))).not.toContain(SECRET);
  });
  it("has no secret in texts before and behind the call, plain or in JSON", () => {
    const odd = 'a"b\\c\nd-secret';
    const state = [
      { type: "human", content: `My password is ${odd}.` },
      new AIMessage({ content: "", tool_calls: [{ id: "1", name: "login", args: { password: odd } }] }),
      new ToolMessage({
        tool_call_id: "1",
        content: JSON.stringify({ echo: odd, twice: JSON.stringify({ odd }) }),
      }),
      { error: `bad: ${encodeURIComponent(odd)}` },
    ];
    const text = JSON.stringify(shown(state));
    expect(text).not.toContain("secret");
    expect(text).toContain("My password is ***.");
  });
  it("keeps the form of messages, ids and times, whatever the secret is", () => {
    const id = "01a22a93-1234-727c-8d5f-4d1f3afc1234";
    const message = { type: "human", id, at: "2026-11-30T12:34:12.340Z", content: "human 1234" };
    const call = { name: "login", args: { password: ["human", "1234"] } };
    expect(shown([message, call])).toMatchObject([
      { type: "human", id, at: message.at, content: "*** ***" },
      {},
    ]);
  });
  it("has no secret in numbers, in keys and in words that are none of the form", () => {
    const call = { name: "pay", args: { password: [4_711_0815, "otp-834921", "otp-834922", "8888"] } };
    const state = {
      paid: [4_711_0815, 4_711],
      "otp-834921": { "otp-834922": true, "***": false, otp: 1 },
      events: [{ code: "otp-834921", status: "sent with otp-834922", type: "8888", role: "8888" }],
    };
    expect(shown([call, state])).toMatchObject([
      {},
      {
        paid: ["***", 4_711],
        "***": { "*** 2": true, "***": false, otp: 1 },
        events: [{ code: "***", status: "sent with ***", type: "***", role: "***" }],
      },
    ]);
  });
  it("keeps the words, names and counts of the form, which a secret may be by chance", () => {
    const words = ["human", "tool_call", "success", "content", "messages", "1234"];
    const call = { name: "login", args: { password: words } };
    const state = {
      messages: [
        { type: "human", content: "human", status: "success", usage_metadata: { total_tokens: 1234 } },
        { type: "tool_call", index: 1234, content: "1234" },
      ],
    };
    expect(shown([call, state])).toMatchObject([
      {},
      {
        messages: [
          { type: "human", content: "***", status: "success", usage_metadata: { total_tokens: 1234 } },
          { type: "tool_call", index: 1234, content: "***" },
        ],
      },
    ]);
  });
  it("leaves arguments that no mask names, though a secret stands in them: a person reads and edits them", () => {
    const call = { name: "run", args: { command: `login ${SECRET}`, password: SECRET } };
    expect(shown(call)).toEqual({ name: "run", args: { command: `login ${SECRET}`, password: "***" } });
  });
  it("leaves the words of a question, which no call can blank by what it hides", () => {
    const action = { action: "wipe", args: { password: "***" } };
    const question = { type: "approval_request", action_request: action, description: "Wipes the disk." };
    const earlier = { name: "wipe", args: { password: "the disk" } };
    expect(shown([earlier, question])).toMatchObject([{}, { description: "Wipes the disk." }]);
  });
  it("has no secret, wherever a call with it stands", () => {
    const wrapped = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { depthSize: "medium" },
        fc.constant({ name: "login", args: { deep: { er: args } } }),
        fc.constant({ type: "tool_call", arguments: JSON.stringify(args) }),
        fc.constant(`It is ${SECRET}.`),
        fc.string(),
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("messages", "input", "values", "x"), tie("json"), {
          maxKeys: 3,
        }),
      ),
    })).json;
    fc.assert(
      fc.property(wrapped, (json) => {
        const under = veil();
        under.secrets.add([SECRET]);
        expect(JSON.stringify(shown(json, under))).not.toContain(SECRET);
      }),
    );
  });
  it("is the same where nothing is hidden", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(maskPayload(json, { masks: ["**.password"], secrets: new Secrets() })).toEqual(json);
      }),
    );
  });
  it("is made of a state of 1 MiB in less than 50 ms", () => {
    const text = "Lorem ipsum dolor sit amet, consetetur sadipscing elitr. ".repeat(35);
    const messages = Array.from({ length: 256 }, (_, at) => [
      new AIMessage({
        content: text,
        tool_calls: [{ id: `c${at}`, name: "login", args: { ...args, note: `${at}` } }],
      }),
      new ToolMessage({ tool_call_id: `c${at}`, content: `${text} ${SECRET}` }),
    ]).flat();
    const json = toPlain({ messages });
    expect(JSON.stringify(json).length).toBeGreaterThan(1024 * 1024);
    const under = veil();
    under.secrets.add(Array.from({ length: 100 }, (_, at) => `another-secret-${at}`));
    const times = Array.from({ length: 9 }, () => {
      const begin = performance.now();
      learnFrom(json, under);
      maskPayload(json, under);
      return performance.now() - begin;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });
});

describe("a stream", () => {
  const piece = (content: string, id = "m") => [{ type: "AIMessageChunk", id, content }, {}];
  const textsOf = (events: [string, unknown][]) =>
    events.flatMap(([, data]) => (Array.isArray(data) ? (data[0] as { content: string }).content : []));

  function streamed(): StreamMask {
    const mask = new ThreadMask();
    mask.add(["**.password"]);
    mask.show({ name: "login", args });
    return new StreamMask(mask);
  }

  it("holds back what may be the beginning of a secret, and tells it once it is none", () => {
    const stream = streamed();
    const events = ["It is hun", "ter2-", "hunter2.", " And hun"].flatMap((text) =>
      stream.show("messages", piece(text)),
    );
    events.push(...stream.show("updates", { agent: { messages: [{ id: "m", content: "…" }] } }));
    expect(textsOf(events).join("")).toBe("It is ***. And hun");
    expect(textsOf(events)).toEqual(["It is ", "", "***.", " And ", "hun"]);
  });
  it("does not tell the beginning of a secret because of another message", () => {
    const stream = streamed();
    const events = [
      ...stream.show("messages", piece("hunter2-", "one")),
      ...stream.show("messages", piece("hunter3", "two")),
      ...stream.show("custom", { any: 1 }),
      ...stream.show("messages", piece("hunter2", "one")),
      ...stream.show("end", null),
    ];
    expect(textsOf(events).join("|")).toBe("|hunter3|***");
  });
});
