import { createInterface, type Interface } from "node:readline";
import type { Approval } from "../../ledger/index.ts";
import { readAnswer } from "./answer-line.ts";
import type { Asking, Input, Reply, Said } from "./input.ts";
import type { View } from "./view.ts";

/** Reads a chat from lines, such as those of a pipe. The end of the lines leaves the chat. */
export class LineInput implements Input {
  readonly #lines: Interface;
  readonly #waiting: string[] = [];
  readonly #view: View;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(stream: NodeJS.ReadableStream, view: View) {
    this.#view = view;
    this.#lines = createInterface({ input: stream, crlfDelay: Infinity });
    this.#lines.on("line", (line) => {
      this.#waiting.push(line);
      this.#wake();
    });
    this.#lines.on("close", () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  async message(signal: AbortSignal): Promise<Said> {
    for (;;) {
      const line = await this.#next(signal);
      if (line === undefined) return { kind: signal.aborted ? "overtaken" : "leave" };
      if (line.trim() === "") continue;
      this.#view.note(`> ${line}`);
      return { kind: "message", text: line.trim() };
    }
  }

  async reply(approval: Approval, { signal, together }: Asking): Promise<Reply> {
    for (;;) {
      const line = await this.#next(signal);
      if (line === undefined) return { kind: signal.aborted ? "overtaken" : "leave" };
      if (line.trim() === "") continue;
      this.#view.note(`> ${line}`);
      const answer = readAnswer(line, approval, together);
      if ("kind" in answer) return answer;
      this.#view.fault({ code: "not_understood", detail: answer.fault });
    }
  }

  close(): void {
    this.#lines.close();
  }

  async #next(signal: AbortSignal): Promise<string | undefined> {
    while (this.#waiting.length === 0 && !this.#isOver && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    return signal.aborted ? undefined : this.#waiting.shift();
  }
}
