import type { Approval } from "../../ledger/index.ts";
import type { Problem } from "../cli-error.ts";
import type { WireEvent, WireMessage } from "./wire-types.ts";

/** What a chat begins with. */
export interface Welcome {
  url: string;
  /** Where what happens is kept, when the server runs in this process. */
  store: string | undefined;
  /** In words, when it is known. */
  model: string | undefined;
  /** Whether it is the bundled agent, whose sample files the example names. */
  isBundled: boolean;
  thread_id: string;
  isNew: boolean;
}

/** Which question of how many. */
export interface Place {
  index: number;
  total: number;
}

/** What a chat shows: for people or, line by line as JSON, for programs. */
export interface View {
  /** A server is being started, which takes a moment. */
  starting(): void;
  welcome(welcome: Welcome): void;
  history(messages: readonly WireMessage[]): void;
  /** The next piece of what the agent says; `endText` closes it. */
  text(piece: string): void;
  endText(): void;
  event(event: WireEvent): void;
  /** Shows a question. Returns whether some of the arguments were left out. */
  question(approval: Approval, place: Place, options: { full: boolean }): { isClipped: boolean };
  /** Shows calls of one turn that are alike, and can be decided together. */
  group(approvals: readonly Approval[], options: { full: boolean }): void;
  /** How a question ended. */
  settled(approval: Approval, where: "here" | "elsewhere"): void;
  note(text: string): void;
  fault(problem: Problem): void;
  leave(comeBack: { thread_id: string; command: string; pending: number }): void;
}
