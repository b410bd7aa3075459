import { beforeAll, describe, expect, it } from "vitest";
import {
  addressAnswer,
  checkArgs,
  DeskError,
  readAnswer,
  readDecision,
  type OpenQuestion,
} from "../../src/desk/index.ts";
import { checkEdit } from "../../src/desk/edit-check.ts";
import { openLedger, type Approval } from "../../src/ledger/index.ts";
import { ARGS } from "../ledger/events.ts";
import { openQuestion } from "./support.ts";

let one: Approval;
let two: Approval;
let open: OpenQuestion[];
const I1 = "1".repeat(32);
const I2 = "2".repeat(32);

const schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    count: { type: "integer" },
    ratio: { type: ["number", "null"] },
    force: { type: "boolean" },
    tags: { type: "array", items: { type: "number" } },
    more: { anyOf: [{ type: "object" }, { type: "null" }] },
    nested: { type: "object", properties: { deep: { type: "number" } } },
  },
  required: ["path"],
  additionalProperties: false,
};

const approve = { type: "approve" };

beforeAll(async () => {
  const ledger = await openLedger("memory:");
  one = await openQuestion(ledger, { name: "1", args_schema: schema });
  two = await openQuestion(ledger, { name: "2" });
  open = [
    { approval: one, interrupt_id: I1 },
    { approval: two, interrupt_id: I2 },
  ];
});

describe("reading a decision", () => {
  it.each<[string, unknown, unknown]>([
    ["approve", { type: "approve" }, { type: "approve" }],
    ["a list of one", [{ type: "approve" }], { type: "approve" }],
    ["decisions with one in it", { decisions: [{ type: "approve" }] }, { type: "approve" }],
    ["a decision with its address", { type: "reject", approval_id: "apr_x" }, { type: "reject" }],
    ["accept", { type: "accept", args: null }, { type: "approve" }],
    ["ignore", { type: "ignore" }, { type: "reject" }],
    ["response", { type: "response", args: "no" }, { type: "reject", message: "no" }],
    ["respond", { type: "respond", message: "" }, { type: "respond", message: "" }],
    ["edit", { type: "edit", args: { path: "b" } }, { type: "edit", args: { path: "b" } }],
    [
      "editedAction",
      { type: "edit", editedAction: { name: "delete_file", args: { path: "b" } } },
      { type: "edit", args: { path: "b" } },
    ],
    [
      "edited_action",
      { type: "edit", edited_action: { name: "delete_file", args: { path: "b" } } },
      { type: "edit", args: { path: "b" } },
    ],
    [
      "the older edit",
      { type: "edit", args: { action: "delete_file", args: { path: "b" } } },
      { type: "edit", args: { path: "b" } },
    ],
    [
      "Agent Inbox's approval with what it shows",
      { decisions: [{ type: "approve", args: { action: "delete_file", args: ARGS } }] },
      { type: "approve" },
    ],
    [
      "Agent Inbox's approval with the texts it made",
      [
        {
          type: "accept",
          args: { action: "delete_file", args: { ...ARGS, deep: JSON.stringify(ARGS.deep) } },
        },
      ],
      approve,
    ],
    ["Agent Inbox's approval of a call that it does not show", { type: "accept", args: null }, approve],
    ["the same under LangChain's name", { type: "approve", args: null }, approve],
    ["Agent Inbox's rejection", { type: "reject", args: "no" }, { type: "reject", message: "no" }],
    [
      "an edit to another tool",
      { type: "edit", editedAction: { name: "move", args: { x: 1 } } },
      { type: "edit", tool: "move", args: { x: 1 } },
    ],
    [
      "texts from a form",
      { type: "edit", args: { path: "b", count: "7", force: "true" } },
      { type: "edit", args: { path: "b", count: 7, force: true } },
    ],
  ])("understands %s", (_name, raw, expected) => {
    expect(readDecision(raw, one)).toEqual(expected);
  });

  it("takes the older response for the answer where only that is allowed", () => {
    const only = { ...one, allowed_decisions: ["respond" as const] };
    expect(readDecision([{ type: "response", args: "42" }], only)).toEqual({
      type: "respond",
      message: "42",
    });
  });

  it("takes any value for the answer to a graph's own question, and for that alone", () => {
    const own = { ...one, kind: "interrupt" as const };
    for (const value of [null, 0, "", { a: [1] }]) {
      const message = typeof value === "string" ? value : JSON.stringify(value);
      expect(readDecision({ type: "respond", value }, own)).toEqual({ type: "respond", value, message });
    }
    expect(readDecision({ type: "respond", message: "all", value: [1] }, own)).toMatchObject({
      message: "all",
    });
    expect(() => readDecision({ type: "respond", value: 1 }, one)).toThrow(/"value".*still pending/);
  });

  it.each<[string, unknown]>([
    ...[null, undefined, false, 0, "", "approve", [], {}].map((raw): [string, unknown] => [
      JSON.stringify(raw) ?? "undefined",
      raw,
    ]),
    ["two decisions", [{ type: "approve" }, { type: "approve" }]],
    ["an unknown type", { type: "destroy" }],
    ["an unknown key", { type: "approve", force: true }],
    ["who decided", { type: "approve", decided_by: { kind: "user", id: "boss" } }],
    ["an edit without arguments", { type: "edit" }],
    [
      "an approval of other arguments",
      { type: "accept", args: { action: "delete_file", args: { path: "b" } } },
    ],
    ["an approval of another tool", { type: "approve", args: { action: "move", args: ARGS } }],
    ["an approval with plain arguments", { type: "approve", args: { path: "b" } }],
    ["an approval with a text", { type: "approve", args: "b" }],
    ["an edit whose arguments are a list", { type: "edit", args: [] }],
    ["an edit that the schema refuses", { type: "edit", args: { path: 7 } }],
    ["an edit with an argument too many", { type: "edit", args: { path: "b", mode: "x" } }],
    ["a response without a message", { type: "respond" }],
    ["a reason that is too long", { type: "approve", reason: "x".repeat(10_001) }],
  ])("refuses %s", (_name, raw) => {
    expect(() => readDecision(raw, one)).toThrow(DeskError);
    expect(() => readDecision(raw, one)).toThrow(/still pending/);
  });

  it("says where an edit is wrong", () => {
    try {
      readDecision({ type: "edit", args: { path: "b", count: "many" } }, one);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "invalid_decision", errors: [{ path: "args.count" }] });
    }
  });
});

describe("finding whom an answer is for", () => {
  it.each<[string, () => unknown, string[]]>([
    ["a map by approval id", () => ({ [one.approval_id]: 1 }), ["1"]],
    ["a map by interrupt id", () => ({ [I2]: 1 }), ["2"]],
    ["a map of both", () => ({ [one.approval_id]: 1, [I2]: 2 }), ["1", "2"]],
    ["decisions by id", () => ({ decisions: { [two.approval_id]: 1 } }), ["2"]],
    ["a decision with its address", () => ({ type: "approve", approval_id: two.approval_id }), ["2"]],
  ])("understands %s", (_name, raw, calls) => {
    const named = [...readAnswer(raw(), open).keys()];
    expect(
      named.map((id) => open.find(({ approval }) => approval.approval_id === id)?.approval.tool_call_id),
    ).toEqual(calls);
  });

  it.each<[string, () => unknown, string]>([
    ["a bare decision", () => ({ type: "approve" }), "ambiguous"],
    ["a list", () => [{ type: "accept" }], "ambiguous"],
    ["a text", () => "yes", "ambiguous"],
    ["null", () => null, "invalid_decision"],
    ["an empty map", () => ({}), "invalid_decision"],
    ["empty decisions", () => ({ decisions: {} }), "invalid_decision"],
    ["an unknown id", () => ({ ["0".repeat(32)]: 1 }), "unknown_approval"],
    ["a stray key", () => ({ [I1]: 1, stray: 2 }), "unknown_approval"],
    ["one named twice", () => ({ [I1]: 1, [one.approval_id]: 2 }), "invalid_decision"],
    ["a key of every object", () => ({ [I1]: 1, constructor: 2 }), "unknown_approval"],
  ])("refuses %s with two open", (_name, raw, code) => {
    expect(() => readAnswer(raw(), open)).toThrow(expect.objectContaining({ code }) as Error);
  });

  it("takes whatever comes for the only one that is open, and nothing when none is", () => {
    expect(readAnswer({ type: "approve" }, open.slice(0, 1)).get(one.approval_id)).toEqual({
      type: "approve",
    });
    expect(() => readAnswer({ type: "approve" }, [])).toThrow(
      expect.objectContaining({ code: "not_pending" }) as Error,
    );
  });

  it("tells our questions from others", () => {
    const ours = { id: I1, value: { approval: { approval_id: one.approval_id } } };
    const other = { id: I2, value: "How much?" };
    expect(addressAnswer({ [I1]: { type: "approve" }, [I2]: 7 }, [ours, other])).toEqual({
      decisions: [{ approval_id: one.approval_id, interrupt_id: I1, decision: { type: "approve" } }],
      others: { [I2]: 7 },
    });
    expect(addressAnswer(7, [other])).toEqual({ decisions: [], others: { [I2]: 7 } });
    expect(() => addressAnswer({ type: "approve" }, [ours, other])).toThrow(
      expect.objectContaining({ code: "ambiguous" }) as Error,
    );
    expect(() => addressAnswer({ [I2]: 7, stray: 1 }, [ours, other])).toThrow(DeskError);
  });
});

describe("checking edited arguments", () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["a whole number", { count: "7" }, { count: 7 }],
    ["a number or null", { ratio: "-1.5e2" }, { ratio: -150 }],
    ["null", { ratio: "null" }, { ratio: null }],
    ["a truth value", { force: "false" }, { force: false }],
    ["a list as JSON", { tags: "[1, 2]" }, { tags: [1, 2] }],
    ["a list of texts", { tags: ["1", "2"] }, { tags: [1, 2] }],
    ["an object as JSON", { more: '{"a":1}' }, { more: { a: 1 } }],
    ["a number inside", { nested: { deep: "3" } }, { nested: { deep: 3 } }],
    ["a text, which stays one", { path: "7" }, { path: "7" }],
  ])("reads %s from a text", (_name, args, expected) => {
    expect(checkEdit(one, { path: "a", ...args })).toEqual({ ok: true, args: { path: "a", ...expected } });
  });

  it.each<[string, Record<string, unknown>]>([
    ["no whole number", { count: "7.5" }],
    ["no number at all", { count: "seven" }],
    ["a number in hexadecimal", { count: "0x10" }],
    ["no truth value", { force: "yes" }],
    ["no JSON", { tags: "[1" }],
  ])("does not read %s", (_name, args) => {
    expect(checkEdit(one, { path: "a", ...args })).toMatchObject({ ok: false });
  });

  it("finds nothing right with a schema that cannot be used, and anything with none", () => {
    expect(checkArgs({ type: "nonsense" }, {})).toHaveLength(1);
    expect(checkEdit({ ...one, args_schema: null }, { any: 1 })).toEqual({ ok: true, args: { any: 1 } });
  });

  it("reads texts as what stood there before where no schema says what is wanted", () => {
    const own = {
      ...one,
      args_schema: null,
      args: { to: "7", amount: 10, tags: ["a"], now: true, note: null },
    };
    const texts = { to: "8", amount: "5", tags: '["b"]', now: "false", note: "1", more: "2" };
    const args = { to: "8", amount: 5, tags: ["b"], now: false, note: "1", more: "2" };
    expect(checkEdit(own, texts)).toEqual({ ok: true, args });
    expect(checkEdit(own, { amount: "five" })).toEqual({ ok: true, args: { amount: "five" } });
  });
});
