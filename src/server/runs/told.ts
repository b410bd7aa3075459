/** How many questions are remembered as told of, of all threads. */
const KEPT = 10_000;

/**
 * The questions that some client was told of, by interrupt id. A bare answer names no question, so one that comes twice
 * can mean the same question or the next one: the next one only when somebody can have seen it.
 */
export class Told {
  readonly #ids = new Set<string>();

  add(questions: Iterable<{ id: string }>): void {
    for (const { id } of questions) this.#ids.add(id);
    for (const id of this.#ids) {
      if (this.#ids.size <= KEPT) return;
      this.#ids.delete(id);
    }
  }

  /** Reads the questions in a text that was sent. */
  addFrom(json: string): void {
    if (!json.includes("__interrupt__")) return;
    this.add([...json.matchAll(/"id":"([0-9a-f]{32})"/g)].map(([, id = ""]) => ({ id })));
  }

  has(id: string | null): boolean {
    return id !== null && this.#ids.has(id);
  }
}
