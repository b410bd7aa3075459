import { readable } from "./readable.ts";
import { COLUMNS, wrap } from "./wrap.ts";

const WIDTH = 11;

/** A text behind its label, in lines that fit the screen and stand below each other. */
export function labelled(label: string, text: string): string[] {
  return wrap(readable(text), COLUMNS - WIDTH).map(
    (line, index) => (index === 0 ? label : "").padEnd(WIDTH) + line,
  );
}
