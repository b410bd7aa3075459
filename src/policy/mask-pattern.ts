/** One step of a dot path: a key's name in lower case, `*` for any one key or index, `**` for any number of them. */
type Step = { kind: "name"; name: string } | { kind: "one" } | { kind: "any" };

/** How far each pattern may have come on the way to some argument. A walk begins with `beginMasks`. */
export type MaskWalk = readonly { steps: readonly Step[]; at: readonly number[] }[];

/** What a mask must look like: names, `*` and `**`, joined by dots; a backslash makes a dot, a star or a backslash plain. */
export const MASK_PATTERN = /^(?:\*\*?|(?:[^.*\\]|\\[.*\\])+)(?:\.(?:\*\*?|(?:[^.*\\]|\\[.*\\])+))*$/;

const MOST_KNOWN = 1_000;
const known = new Map<string, readonly Step[]>();

/** A walk from the arguments on. */
export function beginMasks(patterns: readonly string[]): MaskWalk {
  return patterns.map((pattern) => {
    const steps = stepsOf(pattern);
    return { steps, at: opened(steps, 0) };
  });
}

/** The walk one key further. Names are compared without regard to case: what is called `Authorization` is meant, too. */
export function stepInto(walk: MaskWalk, key: string): MaskWalk {
  if (walk.length === 0) return walk;
  const name = key.toLowerCase();
  return walk.flatMap(({ steps, at }) => {
    const next = new Set<number>();
    for (const place of at) {
      const step = steps[place];
      if (step === undefined) continue;
      const follows = step.kind !== "name" || step.name === name;
      if (follows) for (const one of opened(steps, step.kind === "any" ? place : place + 1)) next.add(one);
    }
    return next.size === 0 ? [] : [{ steps, at: [...next] }];
  });
}

/** Whether the walk has come to what a pattern names. */
export function isMasked(walk: MaskWalk): boolean {
  return walk.some(({ steps, at }) => at.includes(steps.length));
}

/** The name that a pattern begins with; `undefined` when it begins with a star. */
export function firstName(pattern: string): string | undefined {
  const [first] = stepsOf(pattern);
  return first?.kind === "name" ? first.name : undefined;
}

/** The dot path of keys, as a pattern that names exactly this. */
export function maskPath(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[.*\\]/g, "\\$&")).join(".");
}

/** The places from which a pattern may go on: `**` also stands for no key at all. */
function opened(steps: readonly Step[], place: number): number[] {
  return steps[place]?.kind === "any" ? [place, ...opened(steps, place + 1)] : [place];
}

function stepsOf(pattern: string): readonly Step[] {
  const found = known.get(pattern);
  if (found !== undefined) return found;
  const parts = pattern.match(/(?:\\.|[^.\\])+/g) ?? [];
  const steps = parts.map((part): Step => {
    if (part === "*") return { kind: "one" };
    if (part === "**") return { kind: "any" };
    return { kind: "name", name: part.replace(/\\(.)/g, "$1").toLowerCase() };
  });
  // Two in a row say what one says, and would only multiply the ways to go.
  const short = steps.filter(({ kind }, at) => kind !== "any" || steps[at - 1]?.kind !== "any");
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(pattern, short);
  return short;
}
