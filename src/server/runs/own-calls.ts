import type { RawPiece } from "./teller.ts";

/**
 * A gated tool runs in a task of its own below the task of its node. Clients look for a tool's events at the node, where
 * LangGraph's own tool node has them, so they are moved there.
 */
export class OwnCalls {
  /** Where each task was announced. */
  readonly #announced = new Map<string, string>();

  /** The piece, with the namespace that a client expects. */
  place(piece: RawPiece): RawPiece {
    const [namespace, mode, payload] = piece;
    if (mode === "tasks") this.#announce(namespace, payload);
    if (mode !== "tools" || !this.#isOwnCall(namespace)) return piece;
    return [namespace.slice(0, -1), mode, payload];
  }

  #announce(namespace: readonly string[], payload: unknown): void {
    const { id } = payload as { id?: unknown };
    if (typeof id === "string") this.#announced.set(id, namespace.join("|"));
  }

  /** A node is announced in the graph it is of; a call inside a task is announced beside that task. */
  #isOwnCall(namespace: readonly string[]): boolean {
    const id = namespace.at(-1)?.split(":").at(-1);
    return (
      namespace.length > 1 && id !== undefined && this.#announced.get(id) === namespace.slice(0, -2).join("|")
    );
  }
}
