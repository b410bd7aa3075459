import { widthOf } from "../wrap.ts";

/** Writes text piece by piece, broken at spaces to lines of a width, each behind a prefix. */
export class TextFlow {
  readonly #write: (text: string) => void;
  readonly #prefix: string;
  readonly #width: number;
  /** What is not yet written: a word may go on in the next piece, and spaces at the end of a line are left out. */
  #word = "";
  #spaces = "";
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
      else if (character === " ") {
        this.#endWord();
        this.#spaces += " ";
      } else {
        if (widthOf(this.#word + character) > this.#width) this.#endWord();
        this.#word += character;
      }
    }
  }

  /** Ends what was begun. */
  end(): void {
    if (this.isOpen) this.#endLine();
  }

  #endWord(): void {
    if (this.#word === "") return;
    const width = widthOf(this.#word);
    if (this.#isOpen && this.#used + this.#spaces.length + width > this.#width) this.#breakLine();
    // An indentation gives way to a word that needs its place.
    if (!this.#isOpen) this.#spaces = this.#spaces.slice(0, this.#width - width);
    this.#write((this.#isOpen ? "" : this.#prefix) + this.#spaces + this.#word);
    this.#used += this.#spaces.length + width;
    this.#isOpen = true;
    this.#spaces = "";
    this.#word = "";
  }

  #endLine(): void {
    this.#endWord();
    if (!this.#isOpen) this.#write(this.#prefix.trimEnd());
    this.#breakLine();
  }

  #breakLine(): void {
    this.#write("\n");
    this.#isOpen = false;
    this.#used = 0;
    this.#spaces = "";
  }
}
