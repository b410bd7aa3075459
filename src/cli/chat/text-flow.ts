import { widthOf } from "../wrap.ts";

/** Writes text piece by piece, broken at spaces to lines of a width, each behind a prefix. */
export class TextFlow {
  readonly #write: (text: string) => void;
  readonly #prefix: string;
  readonly #width: number;
  #word = "";
  #used = 0;
  #isOpen = false;

  constructor(write: (text: string) => void, prefix: string, width: number) {
    this.#write = write;
    this.#prefix = prefix;
    this.#width = width;
  }

  /** Whether a line was begun and not ended. */
  get isOpen(): boolean {
    return this.#isOpen || this.#word !== "";
  }

  push(piece: string): void {
    for (const character of piece) {
      if (character === "\n") this.#endLine();
      else if (character === " ") this.#endWord(" ");
      else this.#word += character;
      if (widthOf(this.#word) >= this.#width) this.#endWord("");
    }
  }

  /** Ends what was begun. */
  end(): void {
    if (this.isOpen) this.#endLine();
  }

  #endWord(space: string): void {
    const width = widthOf(this.#word);
    if (this.#isOpen && this.#used + width > this.#width) this.#breakLine();
    this.#open();
    this.#write(this.#word + space);
    this.#used += width + space.length;
    this.#word = "";
  }

  #endLine(): void {
    this.#endWord("");
    this.#breakLine();
  }

  #breakLine(): void {
    this.#write("\n");
    this.#isOpen = false;
    this.#used = 0;
  }

  #open(): void {
    if (!this.#isOpen) this.#write(this.#prefix);
    this.#isOpen = true;
  }
}
