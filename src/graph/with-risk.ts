import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Tier } from "../policy/index.ts";

/** What the author of a tool says about it beside its risk. */
export interface RiskOptions {
  /** One sentence for the reviewer about this very call. */
  describe?: (args: Record<string, unknown>) => string;
  /** Running it twice with the same arguments does no more than running it once. */
  idempotent?: boolean;
  /** It changes nothing. Implies `idempotent`. */
  readOnly?: boolean;
  /** How long one execution may take, in milliseconds. Time spent waiting for a person does not count. */
  timeoutMs?: number;
  /** How often a failed execution is tried again, inside the same execution. Only for idempotent tools. */
  retries?: number;
  /** Arguments that are paths, so that `within` and `glob` see where they really lead. Needs `resolvePath`. */
  paths?: readonly string[];
  /**
   * Where a path leads: relative to the root that policies speak of, with links followed and `/` between the parts;
   * `""` for the root itself, `null` when the path leaves it or that cannot be told.
   */
  resolvePath?: (path: string) => string | null;
}

export type RiskTier = Tier | ((args: Record<string, unknown>) => Tier);

export interface Risk extends RiskOptions {
  tier: RiskTier;
}

// A registered symbol, so that a tool marked by one copy of this package is understood by another.
const RISK = Symbol.for("countersign.risk/1");

/**
 * Declares the risk of a tool. The model never sees it.
 *
 * @param tool a LangChain tool; it is marked in place and returned.
 * @param tier the tier, or a synchronous function of the arguments. A function that throws counts as `approve`.
 * @throws {TypeError} when `retries` is given for a tool that is neither `idempotent` nor `readOnly`.
 *
 * @example
 * const deleteFile = withRisk(deleteFileTool, "approve", { describe: ({ path }) => `Deletes ${path} for good.` });
 */
export function withRisk<T extends object>(tool: T, tier: RiskTier, options: RiskOptions = {}): T {
  if (options.retries !== undefined && options.retries > 0 && !options.idempotent && !options.readOnly) {
    throw new TypeError(
      `"retries" of tool "${toolName(tool)}" needs "idempotent" or "readOnly": only such a call may run again.`,
    );
  }
  Object.defineProperty(tool, RISK, { value: { ...options, tier }, configurable: true });
  return tool;
}

/** The risk declared with {@link withRisk}, if any. */
export function riskOf(tool: object): Risk | undefined {
  return (tool as { [RISK]?: Risk })[RISK];
}

function toolName(tool: object): string {
  return (tool as Partial<StructuredToolInterface>).name ?? "unnamed";
}
