import type { Approval, Decision } from "../../ledger/index.ts";

/** What a person says to the agent. `overtaken`: something happened meanwhile that is to be shown first. */
export type Said = { kind: "message"; text: string } | { kind: "leave" } | { kind: "overtaken" };

/** What a person does with a question. `overtaken`: the signal came first. */
export type Reply =
  | { kind: "decide"; decision: Decision }
  /** The same decision for all calls that were shown together. */
  | { kind: "decide_all"; decision: Decision }
  | { kind: "later" }
  | { kind: "show" }
  | { kind: "leave" }
  | { kind: "overtaken" };

/** How a question is asked again. */
export interface Asking {
  signal: AbortSignal;
  /** Some of the arguments are not on the screen. */
  isClipped: boolean;
  /** How many calls can be decided together with it, itself among them. */
  together: number;
  /** What was refused just now, to be mended. */
  refused: Decision | undefined;
}

/** Where a person's words come from: prompts of a terminal, or lines. */
export interface Input {
  message(signal: AbortSignal): Promise<Said>;
  reply(approval: Approval, asking: Asking): Promise<Reply>;
  close(): void;
}
