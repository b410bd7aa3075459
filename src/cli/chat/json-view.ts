import type { Approval } from "../../ledger/index.ts";
import type { Problem } from "../cli-error.ts";
import type { Place, View, Welcome } from "./view.ts";
import type { WireEvent, WireMessage } from "./wire-types.ts";

/** A chat for programs: one JSON object a line, each with a `type`. */
export class JsonView implements View {
  starting(): void {
    // A program waits for the first line.
  }

  welcome({ url, thread_id, isNew, model, store }: Welcome): void {
    this.#line({
      type: "chat_started",
      url,
      thread_id,
      is_new: isNew,
      model: model ?? null,
      store: store ?? null,
    });
  }

  history(messages: readonly WireMessage[]): void {
    this.#line({ type: "history", messages });
  }

  text(piece: string): void {
    this.#line({ type: "text", text: piece });
  }

  endText(): void {
    // Pieces need no end for a program: the next line is of another type.
  }

  event(event: WireEvent): void {
    this.#line(event);
  }

  question(approval: Approval, { index, total }: Place): { isClipped: boolean } {
    this.#line({ type: "question", number: index + 1, of: total, approval });
    return { isClipped: false };
  }

  group(approvals: readonly Approval[]): void {
    this.#line({ type: "group", group_id: approvals[0]?.group_id, approvals });
  }

  settled(approval: Approval, where: "here" | "elsewhere"): void {
    this.#line({ type: "settled", where, approval });
  }

  note(text: string): void {
    this.#line({ type: "note", text });
  }

  fault(problem: Problem): void {
    this.#line({ type: "problem", problem });
  }

  leave(comeBack: { thread_id: string; command: string; pending: number }): void {
    this.#line({ type: "chat_left", ...comeBack });
  }

  #line(value: object): void {
    process.stdout.write(`${JSON.stringify(value)}\n`);
  }
}
