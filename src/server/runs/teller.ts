/** An event of LangGraph's newer protocol, of whichever copy of it a graph brings. */
export interface CoreEvent {
  method: string;
  params: { namespace: readonly string[]; timestamp: number; node?: string; data: unknown };
}

/** Takes what a run tells in that protocol, where somebody follows the run in it. */
export interface Teller {
  take(event: CoreEvent): void;
}

/** A piece of a graph's stream as LangGraph gives it: where, which mode, what. */
export type RawPiece = [namespace: string[], mode: string, payload: unknown];
