/** An answer to a question, as LangChain's middleware for human in the loop spells it. */
export type Decision =
  | { type: "approve" }
  | { type: "reject"; message: string }
  | { type: "edit"; editedAction: { name: string; args: Record<string, unknown> } };

export interface Question {
  id: string;
  name: string;
  args: Record<string, unknown>;
  description: string;
}

export interface Line {
  id: string;
  type: string;
  text: string;
  /** Says this line anew, where it was said. */
  edit?: (text: string) => void;
  /** Shows the next of the branches that begin here. */
  branches?: { shown: string; next: () => void };
}

/** A conversation as the page draws it, however it is held. */
export interface Conversation {
  lines: Line[];
  questions: Question[];
  isLoading: boolean;
  error: string | null;
  send: (text: string) => void;
  decide: (question: Question, decision: Decision) => void;
  stop: () => void;
}

/** Where the page's conversation is kept, from its own address. */
export interface Place {
  apiUrl: string;
  threadId: string | null;
  keepThread: (id: string) => void;
}

interface Asked {
  actionRequests?: { name: string; args: Record<string, unknown>; description?: string }[];
}

/** The questions that can be drawn among what a client calls interrupts. */
export function questionsOf(interrupts: readonly { id?: string; value?: unknown }[]): Question[] {
  return interrupts.flatMap(({ id = "", value }) => {
    const [action] = (value as Asked | undefined)?.actionRequests ?? [];
    return action ? [{ id, ...action, description: action.description ?? "" }] : [];
  });
}

export function messageOf(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  return error instanceof Error ? error.message : JSON.stringify(error);
}
