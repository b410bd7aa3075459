import { canonicalJson } from "./json.ts";
import { beginMasks, isMasked, maskPath, stepInto, type MaskWalk } from "./mask-pattern.ts";
import type { Policy, PolicyOverlay } from "./policy.ts";

/** What is shown in the place of a value that policy masks. */
export const MASKED = "***";

/** The shortest value that is also looked for in texts, in characters: a shorter one stands in any text by chance. */
export const SHORTEST_SECRET = 4;

type Args = Record<string, unknown>;

/** The masks of a policy, its own and those of overlays, sorted. */
export function masksOf(policy: Policy, overlays: readonly PolicyOverlay[] = []): string[] {
  const all = [policy.mask, policy.overlay?.mask, ...overlays.map(({ mask }) => mask)];
  return [...new Set(all.flatMap((masks) => masks ?? []))].sort();
}

/** The paths of arguments that masks name, such as `headers.authorization`, each also a mask that names just this. */
export function maskedPaths(masks: readonly string[], args: unknown): string[] {
  const paths: string[] = [];
  if (masks.length > 0) visit(args, beginMasks(masks), [], (keys) => paths.push(maskPath(keys)));
  return paths;
}

/** Names in programs look like this: forms and states have such keys, which a secret may be by chance. */
const NAME = /^_*[a-z]+(?:_+[a-z]+)*_*$/i;
const LONGEST_NAME = 15;

/** Whether a key is the name of a member, as far as one can see. */
export function isMemberName(key: string): boolean {
  return key.length <= LONGEST_NAME && NAME.test(key);
}

/**
 * The texts and numbers that masks hide, wherever in a masked value they stand, and its keys, without those that are too
 * short and keys that are names of members.
 */
export function secretsIn(masks: readonly string[], args: unknown): string[] {
  const secrets = new Set<string>();
  if (masks.length > 0) visit(args, beginMasks(masks), [], (_keys, value) => gather(value, secrets));
  return [...secrets];
}

/** The arguments as people may see them. Without anything to mask they are the very same. */
export function maskArgs<T>(masks: readonly string[], args: T): T {
  return masks.length === 0 ? args : (masked(args, beginMasks(masks)) as T);
}

/** Edited arguments made whole, or the paths at which a mask stands for nothing. */
export type Restored = { ok: true; args: Args } | { ok: false; paths: string[] };

/**
 * Puts the stored values back where an edit of masked arguments has left the mask. What stands at a masked path and is
 * no mask is a new value. A mask where nothing is stored, inside a new value, or in a list whose entries were moved,
 * stands for nothing.
 */
export function restoreMasked(masks: readonly string[], edited: Args, stored: Args): Restored {
  if (masks.length === 0) return { ok: true, args: edited };
  const paths: string[] = [];
  const args = restored(edited, stored, {
    walk: beginMasks(masks),
    keys: [],
    isMoved: false,
    fail: (keys) => paths.push(maskPath(keys)),
  });
  return paths.length > 0 ? { ok: false, paths } : { ok: true, args: args as Args };
}

function visit(
  value: unknown,
  walk: MaskWalk,
  keys: readonly string[],
  found: (keys: readonly string[], value: unknown) => void,
): void {
  if (walk.length === 0 || typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const next = stepInto(walk, key);
    if (isMasked(next)) found([...keys, key], member);
    else visit(member, next, [...keys, key], found);
  }
}

function gather(value: unknown, secrets: Set<string>): void {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") {
    const text = String(value);
    if (text.length >= SHORTEST_SECRET && text.replaceAll("*", "") !== "") secrets.add(text);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value) && !isMemberName(key)) gather(key, secrets);
      gather(member, secrets);
    }
  }
}

function masked(value: unknown, walk: MaskWalk): unknown {
  if (walk.length === 0 || typeof value !== "object" || value === null) return value;
  const shown = (key: string, member: unknown): unknown => {
    const next = stepInto(walk, key);
    return isMasked(next) ? MASKED : masked(member, next);
  };
  if (Array.isArray(value)) return value.map((member, index) => shown(String(index), member));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shown(key, member)]));
}

interface Restoring {
  walk: MaskWalk;
  keys: readonly string[];
  /** Whether it stands in an entry of a list that may be another one than was stored in its place. */
  isMoved: boolean;
  fail: (keys: readonly string[]) => void;
}

function restored(edited: unknown, stored: unknown, at: Restoring): unknown {
  if (at.walk.length === 0 || typeof edited !== "object" || edited === null) return edited;
  const others = Array.isArray(edited) ? otherEntries(edited, masked(stored, at.walk)) : [];
  const member = (key: string, value: unknown): unknown => {
    const walk = stepInto(at.walk, key);
    const known = isObject(stored) && Object.hasOwn(stored, key) ? stored[key] : undefined;
    const isMoved = at.isMoved || others[Number(key)] === true;
    const inner = { ...at, walk, keys: [...at.keys, key], isMoved };
    if (!isMasked(walk)) return restored(value, known, inner);
    if (value !== MASKED) failInside(value, inner);
    else if (isMoved || known === undefined) at.fail(inner.keys);
    else return known;
    return value;
  };
  if (Array.isArray(edited)) return edited.map((value, index) => member(String(index), value));
  return Object.fromEntries(Object.entries(edited).map(([key, value]) => [key, member(key, value)]));
}

/** For each entry of an edited list, whether it may be another one than was stored in its place. */
function otherEntries(edited: readonly unknown[], shown: unknown): boolean[] {
  if (!Array.isArray(shown) || shown.length !== edited.length) return edited.map(() => true);
  const before = shown.map(canonicalJson);
  const known = new Set(before);
  return edited.map(canonicalJson).map((entry, index) => entry !== before[index] && known.has(entry));
}

/** A new value that has a mask inside: nothing says what would stand there. */
function failInside(value: unknown, { keys, fail }: Restoring): void {
  if (value === MASKED) fail(keys);
  if (!isObject(value)) return;
  for (const [key, member] of Object.entries(value))
    failInside(member, { walk: [], keys: [...keys, key], isMoved: false, fail });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
