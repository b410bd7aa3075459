import { MASKED, SHORTEST_SECRET } from "./mask.ts";

/** A text so long stands nowhere by chance. A shorter one is not looked for inside of ids, digests and times. */
const SURE = 16;
/** Longer ones are looked for one by one: an expression of them would be too large. */
const LONGEST_IN_EXPRESSION = 256;
const MOST_IN_EXPRESSION = 500;

/** What machines wrote for machines: ids, digests, times, and places made of such. */
const MACHINE =
  /^(?:[\w-]+:)?(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:[a-z]+_|sha256:)?[0-9a-f]{32,}|\d{4}-\d\d-\d\dT[\d:.]+Z)(?:\|.*)?$/;

/** Texts that are to be shown nowhere. Takes more at any time. */
export class Secrets {
  readonly #known = new Set<string>();
  readonly #sure: string[] = [];
  readonly #short: string[] = [];
  #tests: { sure: Test[]; all: Test[] } | null = null;

  constructor(secrets: Iterable<string> = []) {
    this.add(secrets);
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** How many there are. */
  get size(): number {
    return this.#known.size;
  }

  /** All that are known, in the order in which they came. */
  all(): string[] {
    return [...this.#known];
  }

  /** Whether a whole text is one. */
  has(text: string): boolean {
    return this.#known.has(text);
  }

  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.length < SHORTEST_SECRET || this.#known.has(secret)) continue;
      this.#known.add(secret);
      for (const form of formsOf(secret)) (form.length >= SURE ? this.#sure : this.#short).push(form);
      this.#tests = null;
    }
  }

  /** A text that goes on, as far as it may be shown by now: what may be the beginning of a secret is held back. */
  split(text: string): { shown: string; held: string } {
    const hidden = this.hide(text);
    const at = [...this.#sure, ...this.#short].reduce(
      (least, form) => Math.min(least, beginOf(form, hidden)),
      hidden.length,
    );
    return { shown: hidden.slice(0, at), held: hidden.slice(at) };
  }

  /** The text with the mask in the place of each secret. */
  hide(text: string): string {
    if (this.isEmpty || text.length < SHORTEST_SECRET) return text;
    if (this.#known.has(text)) return MASKED;
    this.#tests ??= { sure: testsOf(this.#sure), all: testsOf([...this.#sure, ...this.#short]) };
    const isMachine = text.length < 200 && MACHINE.test(text);
    return (isMachine ? this.#tests.sure : this.#tests.all).reduce((shown, test) => test(shown), text);
  }
}

type Test = (text: string) => string;

/** Where at the end of a text a form may begin; the text's length where it does not. */
function beginOf(form: string, text: string): number {
  const first = form.charAt(0);
  for (
    let at = text.indexOf(first, Math.max(0, text.length - form.length + 1));
    at !== -1;
    at = text.indexOf(first, at + 1)
  )
    if (form.startsWith(text.slice(at))) return at;
  return text.length;
}

/** A secret as it stands in texts: plain, inside JSON, inside JSON in JSON, in an address. */
function formsOf(secret: string): Set<string> {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const forms = new Set([secret, inJson, JSON.stringify(inJson).slice(1, -1)]);
  try {
    return forms.add(encodeURIComponent(secret));
  } catch {
    // A text with half of a character in it has no place in an address.
    return forms;
  }
}

/** The longest first, so that one in which another stands is hidden whole. */
function testsOf(forms: readonly string[]): Test[] {
  const sorted = [...new Set(forms)].sort((a, b) => b.length - a.length);
  const long = sorted.filter(({ length }) => length > LONGEST_IN_EXPRESSION);
  const rest = sorted.slice(long.length);
  const tests: Test[] = long.map((form) => (text) => text.replaceAll(form, () => MASKED));
  for (let at = 0; at < rest.length; at += MOST_IN_EXPRESSION) {
    const some = rest.slice(at, at + MOST_IN_EXPRESSION);
    const [only] = some;
    if (some.length === 1 && only !== undefined) tests.push((text) => text.replaceAll(only, () => MASKED));
    else tests.push(inExpression(some));
  }
  return tests;
}

function inExpression(forms: readonly string[]): Test {
  const expression = new RegExp(
    forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"),
    "g",
  );
  return (text) => text.replace(expression, () => MASKED);
}
