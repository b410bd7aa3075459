import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer } from "../../src/cli/chat/answer-line.ts";
import { TextFlow } from "../../src/cli/chat/text-flow.ts";
import { exact, flatJson, prettyJson, readable } from "../../src/cli/readable.ts";
import { readEvents } from "../../src/cli/sse.ts";
import { timeLeft } from "../../src/cli/time-left.ts";
import { clip, widthOf, wrap } from "../../src/cli/wrap.ts";
import { sampleApproval } from "./sample-approval.ts";

const anyText = fc.string({ unit: "binary" });
const prose = fc.string({ unit: fc.constantFrom("a", "字", " ", "\n", "é", "👍", "word") });
const hidden = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

describe("text on the screen", () => {
  it("holds no hidden character, whatever an argument holds", () => {
    fc.assert(fc.property(anyText, (text) => !hidden.test(exact(text))));
    expect(exact("a\u001b[2J\u202eb\u200bc\u00a0d")).toBe("a\\u{1b}[2J\\u{202e}b\\u{200b}c\\u{a0}d");
  });

  it("shows arguments as JSON that still is the same value", () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, anyText), (args) => {
        expect(JSON.parse(flatJson(args))).toEqual(args);
        expect(JSON.parse(prettyJson(args).join("\n"))).toEqual(args);
        expect(hidden.test(flatJson(args))).toBe(false);
      }),
    );
  });

  it("leaves line breaks and emoji of prose as they are, and nothing else that is hidden", () => {
    expect(readable("one\r\ntwo\t👩‍💻\u202e")).toBe("one\ntwo    👩‍💻\\u{202e}");
  });

  it("is never wider than its lines may be", () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 2, max: 20 }), (text, width) => {
        for (const line of wrap(text, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(widthOf(clip(text.replaceAll("\n", ""), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("loses no word by being wrapped", () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 8, max: 20 }), (text, width) => {
        expect(wrap(text, width).join("").replaceAll(" ", "")).toBe(text.replace(/[ \n]/g, ""));
      }),
    );
  });

  it("looks the same in pieces of any size", () => {
    const flow = (pieces: string[], width: number): string => {
      let written = "";
      const one = new TextFlow((text) => (written += text), "| ", width);
      for (const piece of pieces) one.push(piece);
      one.end();
      return written;
    };
    fc.assert(
      fc.property(prose, fc.integer({ min: 2, max: 20 }), (text, width) => {
        const whole = flow([text], width);
        expect(flow([...text], width)).toBe(whole);
        for (const line of whole.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(width + 2);
      }),
    );
  });
});

describe("the time left", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    { until: "2026-01-01T00:00:00.500Z", words: "under 1 s" },
    { until: "2026-01-01T00:01:05Z", words: "1 min 5 s" },
    { until: "2026-01-01T23:59:00Z", words: "23 h 59 min" },
    { until: "2026-01-03T00:00:10Z", words: "2 d" },
    { until: "2025-12-31T00:00:00Z", words: "none" },
    { until: null, words: "no limit" },
  ])("is $words", ({ until, words }) => {
    expect(timeLeft(until, now)).toBe(words);
  });
});

describe("a line that answers a question", () => {
  const read = (line: string) => readAnswer(line, sampleApproval());

  it.each([
    { line: "approve", decision: { type: "approve" } },
    { line: "approve I looked", decision: { type: "approve", reason: "I looked" } },
    { line: "reject", decision: { type: "reject" } },
    { line: "Reject because it is needed", decision: { type: "reject", message: "it is needed" } },
    { line: 'edit {"path":"b"}', decision: { type: "edit", args: { path: "b" } } },
    { line: "respond It is  gone.", decision: { type: "respond", message: "It is  gone." } },
  ])("$line is a decision", ({ line, decision }) => {
    expect(read(line)).toEqual({ kind: "decide", decision });
  });

  it.each(["", "yes", "approved", "edit", "edit []", "respond", "/approve"])("%j is none", (line) => {
    expect(read(line)).toHaveProperty("fault");
  });
});

describe("a stream of events", () => {
  it("is read the same in pieces of any size", async () => {
    const text =
      ': hello\n\nevent: a\nid: 1\ndata: {"x":"é字"}\n\ndata: one\r\ndata: two\r\n\r\nevent: end\ndata: null\n\n';
    const bytes = new TextEncoder().encode(text);
    const wanted = [
      { event: "a", data: '{"x":"é字"}', id: "1" },
      { event: "message", data: "one\ntwo", id: undefined },
      { event: "end", data: "null", id: undefined },
    ];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (size) => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
            controller.close();
          },
        });
        const read = [];
        for await (const event of readEvents(body)) read.push(event);
        expect(read).toEqual(wanted);
      }),
    );
  });
});
