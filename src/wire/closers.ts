/** What is to be closed when a server stops, last opened first. */
export class Closers {
  readonly #all: (() => Promise<void>)[] = [];
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly add = (close: () => Promise<void>): void => void this.#all.push(close);

  /** Closes all. One that fails does not keep the others open. */
  async close(): Promise<void> {
    for (const close of this.#all.reverse().splice(0)) await close().catch(this.#onError);
  }
}
