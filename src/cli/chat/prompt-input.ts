import { select, text } from "@clack/prompts";
import type { Approval, Decision } from "../../ledger/index.ts";
import { parseObject } from "../json-argument.ts";
import { exact, flatJson } from "../readable.ts";
import type { Asking, Input, Reply, Said } from "./input.ts";

interface Key {
  name?: string;
  ctrl?: boolean;
}

/** What a prompt gives after Ctrl-C or Ctrl-D: no text that somebody could type. */
const LEAVE = Symbol("leave");
type Leave = typeof LEAVE;

type Choice = Decision["type"] | "approve all" | "reject all" | "later" | "show";

/** Prompts of a terminal. Ctrl-C and Ctrl-D leave; Escape goes back. */
export class PromptInput implements Input {
  #lastKey: Key | undefined;
  #ending = new AbortController();
  readonly #onKey = (_: string | undefined, key: Key | undefined): void => {
    this.#lastKey = key;
    if (key?.ctrl === true && key.name === "d") this.#ending.abort();
  };

  constructor() {
    process.stdin.on("keypress", this.#onKey);
  }

  async message(signal: AbortSignal): Promise<Said> {
    for (;;) {
      const said = await this.#ask((ending) => text({ message: "You", signal: ending }), signal);
      if (typeof said === "string" && said.trim() !== "") return { kind: "message", text: said.trim() };
      if (signal.aborted) return { kind: "overtaken" };
      if (said === LEAVE) return { kind: "leave" };
    }
  }

  async reply(approval: Approval, asking: Asking): Promise<Reply> {
    let mended = asking.refused;
    for (;;) {
      const choice = mended?.type ?? (await this.#choose(approval, asking));
      if (asking.signal.aborted) return { kind: "overtaken" };
      if (choice === LEAVE) return { kind: "leave" };
      if (choice === undefined) continue;
      if (choice === "later" || choice === "show") return { kind: choice };
      const isAll = choice === "approve all" || choice === "reject all";
      const type = choice === "approve all" ? "approve" : choice === "reject all" ? "reject" : choice;
      const decision = await this.#decision(type, approval, asking.signal, mended);
      mended = undefined;
      if (asking.signal.aborted) return { kind: "overtaken" };
      if (decision === LEAVE) return { kind: "leave" };
      if (decision !== undefined) return { kind: isAll ? "decide_all" : "decide", decision };
    }
  }

  close(): void {
    process.stdin.off("keypress", this.#onKey);
    process.stdin.pause();
  }

  #choose({ tool, allowed_decisions }: Approval, { signal, isClipped, together }: Asking) {
    const types = (["approve", "reject"] as const).filter((type) => allowed_decisions.includes(type));
    const all = together > 1 ? types.map((type): `${typeof type} all` => `${type} all`) : [];
    const options: { value: Choice; label: string; hint?: string }[] = [
      ...allowed_decisions.map((type) => ({ value: type, ...LABELS[type] })),
      ...all.map((value) => ({ value, ...LABELS[value], label: `${value} ${together}` })),
      { value: "later", ...LABELS.later },
      ...(isClipped ? [{ value: "show" as const, ...LABELS.show }] : []),
    ];
    const message = `Run ${exact(tool)}?`;
    return this.#ask<Choice>(
      (ending) => select<Choice>({ message, options, signal: ending, showInstructions: false }),
      signal,
    );
  }

  async #decision(
    type: Decision["type"],
    approval: Approval,
    signal: AbortSignal,
    refused: Decision | undefined,
  ): Promise<Decision | Leave | undefined> {
    const isRequired = approval.require_reason.includes(type);
    switch (type) {
      case "edit": {
        const draft = refused?.type === "edit" ? refused.args : approval.args;
        const edited = await this.#line("Arguments, as JSON", signal, {
          initial: flatJson(draft),
          isJson: true,
        });
        if (edited === undefined || edited === LEAVE) return edited;
        const args = parseObject(edited);
        if (typeof args === "string") return undefined;
        return this.#withReason({ type, args }, isRequired, signal);
      }
      case "approve":
        return this.#withReason({ type }, isRequired, signal);
      case "reject": {
        const message = await this.#line("Why not? The model is told.", signal, { isRequired });
        if (message === undefined || message === LEAVE) return message;
        return { type, ...(message === "" ? {} : { message }) };
      }
      case "respond": {
        const message = await this.#line("The answer, in place of a result", signal, { isRequired: true });
        if (message === undefined || message === LEAVE) return message;
        return this.#withReason({ type, message }, isRequired, signal);
      }
    }
  }

  async #withReason(decision: Decision, isRequired: boolean, signal: AbortSignal) {
    if (!isRequired) return decision;
    const reason = await this.#line("Why? It is kept in the record.", signal, { isRequired });
    return reason === undefined || reason === LEAVE ? reason : { ...decision, reason };
  }

  async #line(
    message: string,
    signal: AbortSignal,
    options: { initial?: string; isRequired?: boolean; isJson?: boolean },
  ): Promise<string | Leave | undefined> {
    const { initial, isRequired, isJson } = options;
    const validate = (value: string | undefined): string | undefined => {
      const given = value?.trim() ?? "";
      if (isRequired === true && given === "") return "Write something, or press Escape to go back.";
      const read = isJson === true ? parseObject(given) : undefined;
      return typeof read === "string" ? `The text ${read}.` : undefined;
    };
    const line = await this.#ask(
      (ending) =>
        text({
          message,
          signal: ending,
          validate,
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      signal,
    );
    return typeof line === "string" ? line.trim() : line;
  }

  /** Runs one prompt: its value, `LEAVE` after Ctrl-C or Ctrl-D, undefined after Escape or an abort. */
  async #ask<T extends string>(
    prompt: (ending: AbortSignal) => Promise<T | symbol>,
    signal: AbortSignal,
  ): Promise<T | Leave | undefined> {
    this.#ending = new AbortController();
    const ending = AbortSignal.any([signal, this.#ending.signal]);
    const value = await prompt(ending);
    if (typeof value !== "symbol") return value;
    return signal.aborted || this.#lastKey?.name === "escape" ? undefined : LEAVE;
  }
}

const LABELS: Record<Choice, { label: string; hint?: string }> = {
  approve: { label: "approve", hint: "run it as shown" },
  edit: { label: "edit", hint: "run it with other arguments" },
  reject: { label: "reject", hint: "do not run it, and say why" },
  respond: { label: "respond", hint: "do not run it, answer in its place" },
  "approve all": { label: "approve all", hint: "run each of them as shown" },
  "reject all": { label: "reject all", hint: "run none of them, and say why" },
  later: { label: "later", hint: "leave the question open" },
  show: { label: "show all", hint: "of the arguments" },
};
