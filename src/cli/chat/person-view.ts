import { styleText } from "node:util";
import type { Approval } from "../../ledger/index.ts";
import { approvalCard, deciderOf } from "../approval-text.ts";
import { groupWords } from "../approval-groups.ts";
import { votesText } from "../people-text.ts";
import type { Problem } from "../cli-error.ts";
import { oneLine } from "../print.ts";
import { exact, flatJson, readable } from "../readable.ts";
import { clip, COLUMNS, wrap } from "../wrap.ts";
import { callLine, eventLine, type EventLine } from "./event-line.ts";
import { TextFlow } from "./text-flow.ts";
import type { Place, View, Welcome } from "./view.ts";
import { isFromAgent, textOf, type WireEvent, type WireMessage } from "./wire-types.ts";

const EXAMPLE = "delete notes/old.md and show me notes/todo.md";
const BAR = "│  ";
const INNER = COLUMNS - BAR.length;

type Style = Parameters<typeof styleText>[0];

/** A chat on a screen of 80 columns, with colours where the terminal has them. */
export class PersonView implements View {
  readonly #paint: (style: Style, text: string) => string;
  readonly #flow: TextFlow;
  readonly #isTerminal: boolean;

  constructor(options: { isTerminal: boolean }) {
    this.#isTerminal = options.isTerminal;
    this.#paint = (style, text) =>
      options.isTerminal ? styleText(style, text, { stream: process.stdout }) : text;
    const write = (text: string): void => void process.stdout.write(text);
    this.#flow = new TextFlow(write, BAR, INNER);
  }

  starting(): void {
    if (this.#isTerminal) this.#plain(["Starting the server …", ""]);
  }

  welcome({ url, store, model, isBundled, thread_id, isNew }: Welcome): void {
    const paint = this.#paint;
    const here = store === undefined ? "" : `, started here, kept in ${clip(exact(store), 40)}`;
    this.#plain([
      `${paint("bold", "Countersign")}: talk to the agent. What cannot be undone waits for your word.`,
      ...(isBundled && isNew ? [`Try: ${paint("cyan", EXAMPLE)}`] : []),
      "",
      ...(model === undefined ? [] : wrap(`model   ${model}`, COLUMNS)),
      `server  ${url}${here}`,
      `thread  ${thread_id}${isNew ? "" : ", where you left it"}`,
      `leave   Ctrl-C or /quit; nothing that waits is lost`,
      "",
    ]);
  }

  history(messages: readonly WireMessage[]): void {
    const answers = new Map(messages.map((message) => [message.tool_call_id, message]));
    for (const message of messages) {
      if (message.type === "human")
        this.#barred(["", this.#paint("dim", "You"), ...this.#prose(textOf(message))]);
      if (!isFromAgent(message)) continue;
      if (textOf(message).trim() !== "") this.#barred(["", ...this.#prose(textOf(message))]);
      for (const call of message.tool_calls ?? [])
        this.#line(callLine(call, answers.get(call.id ?? ""), INNER));
    }
  }

  text(piece: string): void {
    if (!this.#flow.isOpen) this.#barred([""]);
    this.#flow.push(readable(piece));
  }

  endText(): void {
    this.#flow.end();
  }

  event(event: WireEvent): void {
    const line = eventLine(event, INNER);
    if (line !== undefined) this.#line(line);
  }

  question(approval: Approval, { index, total }: Place, { full }: { full: boolean }): { isClipped: boolean } {
    const { lines, isClipped } = approvalCard(approval, { full, columns: INNER });
    const which = total === 1 ? "" : ` ${index + 1} of ${total}`;
    this.#barred(["", this.#paint(["yellow", "bold"], `Question${which}`), ...lines]);
    return { isClipped };
  }

  group(approvals: readonly Approval[], { full }: { full: boolean }): void {
    const calls = approvals.flatMap(({ args }, index) => {
      const number = `${index + 1}`.padStart(3);
      const text = flatJson(args);
      return full
        ? wrap(text, INNER - 5).map((line, at) => `${at === 0 ? number : "   "}  ${line}`)
        : [`${number}  ${clip(text, INNER - 5)}`];
    });
    const head = this.#paint(["yellow", "bold"], groupWords(approvals));
    const hint = 'Decide them one by one, or with "approve all" or "reject all".';
    this.#barred(["", head, ...calls, ...(full ? [] : [hint])]);
  }

  settled(approval: Approval, where: "here" | "elsewhere"): void {
    const { tool, status, decision, next_approval_id } = approval;
    const votes = votesText(approval);
    if (status === "pending" && votes !== undefined)
      return this.#barred([`${clip(exact(tool), 30)}: ${votes}. It waits for others now.`]);
    if (where === "elsewhere") {
      const by = decision === null ? "" : ` by ${deciderOf(decision)}`;
      const how =
        status === "expired" ? "expired, nobody answered in time" : `${status}${by}, elsewhere, meanwhile`;
      this.#barred([this.#paint("yellow", `${clip(exact(tool), 30)}: ${how}`)]);
    }
    if (next_approval_id !== null) this.#barred(["What you made of it needs an approval of its own."]);
  }

  note(text: string): void {
    this.#barred(wrap(readable(text), INNER));
  }

  fault(problem: Problem): void {
    this.#barred(wrap(oneLine(problem), INNER).map((line) => this.#paint("red", line)));
  }

  leave({ command, pending }: { command: string; pending: number }): void {
    const open = pending === 1 ? "1 question is" : `${pending} questions are`;
    const kept = pending === 0 ? "" : `${open} still open, and kept. `;
    this.#plain(["", `${kept}Come back with:`, `  ${command}`]);
  }

  #line({ sign, color, text }: EventLine): void {
    this.#barred([`${this.#paint(color, sign)} ${text}`]);
  }

  #prose(text: string): string[] {
    return wrap(readable(text), INNER);
  }

  #bar(): string {
    return this.#paint("gray", BAR);
  }

  #barred(lines: readonly string[]): void {
    this.#flow.end();
    process.stdout.write(lines.map((line) => `${this.#bar()}${line}`.trimEnd() + "\n").join(""));
  }

  #plain(lines: readonly string[]): void {
    this.#flow.end();
    process.stdout.write(`${lines.join("\n")}\n`);
  }
}
