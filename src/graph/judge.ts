import { isInteropZodSchema, interopSafeParse } from "@langchain/core/utils/types";
import { checkArgs } from "../desk/index.ts";
import { canonicalJson, digest, type Args } from "../ledger/index.ts";
import {
  combine,
  evaluate,
  maskArgs,
  masksOf,
  pathArguments,
  type Facts,
  type Policy,
  type PolicyOverlay,
  type ToolFacts,
  type Verdict,
  visibleLine,
} from "../policy/index.ts";
import { factsOf, type ShelvedTool } from "./tool-shelf.ts";

const MOST_TIGHTENED = 64;

/** What is to be judged: the name and the arguments, and nothing else of the message they came in. */
export interface NamedCall {
  name: string;
  args: Args;
}

export type Judgement =
  /** It cannot be judged: there is no such tool, or its schema refuses the arguments. Nobody is asked. */
  | { kind: "invalid"; message: string }
  | {
      kind: "judged";
      verdict: Verdict;
      shelved: ShelvedTool;
      description: string | null;
      facts: Required<Pick<Facts, "args" | "paths">> & { args: Args; tool: ToolFacts };
    };

export type Judged = Judgement & { kind: "judged" };

/** Judges calls by one policy. Judging again gives the same answer as long as the world does. */
export class Judge {
  readonly #policy: Policy;
  readonly #shelf: ReadonlyMap<string, ShelvedTool>;
  readonly #tightened = new Map<string, Policy>();
  #digest: string | undefined;

  constructor(policy: Policy, shelf: ReadonlyMap<string, ShelvedTool>) {
    this.#policy = policy;
    this.#shelf = shelf;
  }

  judge(call: NamedCall, overlays: readonly PolicyOverlay[]): Judgement {
    const shelved = this.#shelf.get(call.name);
    if (shelved === undefined) {
      const names = [...this.#shelf.keys()].join(", ");
      return { kind: "invalid", message: `There is no tool "${call.name}". There are: ${names}.` };
    }
    const parsed = parseArgs(shelved, call.args);
    if (!parsed.ok) return { kind: "invalid", message: parsed.message };
    const policy = this.policy(overlays);
    const facts = {
      tool: factsOf(shelved, call.args),
      args: parsed.args,
      paths: pathFacts(shelved, pathArguments(policy, call.name), parsed.args),
    };
    return {
      kind: "judged",
      verdict: evaluate(policy, call, facts),
      shelved,
      // Made of what is shown, so that no wording of it can tell what is masked.
      description: describe(shelved, maskArgs(this.masks(overlays), call.args)),
      facts,
    };
  }

  /** The base policy as tightened by overlays. */
  policy(overlays: readonly PolicyOverlay[]): Policy {
    if (overlays.length === 0) return this.#policy;
    const key = canonicalJson(overlays);
    const known = this.#tightened.get(key);
    if (known) return known;
    const policy = combine(this.#policy, ...overlays);
    // A policy is compiled once for each object, so the few overlays in use keep theirs.
    if (this.#tightened.size >= MOST_TIGHTENED) this.#tightened.clear();
    this.#tightened.set(key, policy);
    return policy;
  }

  /** The masks of the policy as tightened by overlays. */
  masks(overlays: readonly PolicyOverlay[]): string[] {
    return masksOf(this.#policy, overlays);
  }

  /** Those of these masks that the base policy has not. */
  addedMasks(masks: readonly string[]): string[] {
    const own = new Set(masksOf(this.#policy));
    return masks.filter((mask) => !own.has(mask));
  }

  policyDigest(overlays: readonly PolicyOverlay[]): string {
    if (overlays.length > 0) return digest(this.policy(overlays));
    this.#digest ??= digest(this.#policy);
    return this.#digest;
  }
}

type Parsed = { ok: true; args: Args } | { ok: false; message: string };

/** The arguments with the defaults of the tool's schema filled in. */
function parseArgs({ tool, schema }: ShelvedTool, args: Args): Parsed {
  const zod = (tool as { schema?: unknown }).schema;
  if (isInteropZodSchema(zod)) {
    try {
      const read = interopSafeParse(zod, args);
      if (read.success) return { ok: true, args: isArgs(read.data) ? read.data : args };
      const issues = read.error.issues as { path: PropertyKey[]; message: string }[];
      return {
        ok: false,
        message: issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
      };
    } catch {
      // A schema with asynchronous parts: the tool itself will check when it runs.
      return { ok: true, args };
    }
  }
  if (schema === null) return { ok: true, args };
  const errors = checkArgs(schema, args);
  if (errors.length === 0) return { ok: true, args };
  return { ok: false, message: errors.map(({ path, message }) => `${path}: ${message}`).join("; ") };
}

function pathFacts(
  { risk }: ShelvedTool,
  inPolicy: readonly string[],
  args: Args,
): Record<string, string | null> {
  const resolve = risk?.resolvePath;
  if (resolve === undefined) return {};
  const names = new Set([...(risk?.paths ?? []), ...inPolicy.filter((name) => risk?.paths?.includes(name))]);
  const facts: Record<string, string | null> = {};
  for (const name of names) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (typeof value === "string") facts[name] = resolved(resolve, value);
  }
  return facts;
}

function resolved(resolve: (path: string) => string | null, path: string): string | null {
  try {
    return resolve(path);
  } catch {
    return null;
  }
}

function describe({ risk, tool }: ShelvedTool, args: Args): string | null {
  try {
    const said: unknown = risk?.describe?.(args);
    // An argument in it must not pass for a paragraph of its own, or begin one.
    return typeof said === "string" ? visibleLine(said) : (tool.description ?? null);
  } catch {
    return tool.description ?? null;
  }
}

function isArgs(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
