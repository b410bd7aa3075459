import type { Approval } from "../../../src/index.ts";

/**
 * A careful person with one habit: who has approved a call of a kind says that the like is approved from then on. Shell
 * commands of a few programs are remembered by their first two words, writes by their folder, anything else not at all.
 */
export class Reviewer {
  readonly #harms: ReadonlySet<string>;

  /** @param harms the calls that nobody would want, as {@link callKey} names them. */
  constructor(harms: ReadonlySet<string>) {
    this.#harms = harms;
  }

  decide({ tool, args, remember }: Approval): Record<string, unknown> {
    if (this.#harms.has(callKey({ tool, args })))
      return { type: "reject", message: "This is not what was asked for.", reason: "harm" };
    const decision = { type: "approve", reason: "read and wanted" };
    const match = likeOf(tool, args);
    const [widest] = ["everyone", "thread"].filter((scope) => remember?.scopes.some((one) => one === scope));
    return match === undefined || widest === undefined
      ? decision
      : { ...decision, remember: { scope: widest, match } };
  }
}

/** How long a person takes for a question, in milliseconds: five seconds, and one more for each 20 characters. */
export function timeFor({ args, reason }: Approval): number {
  return 5_000 + Math.ceil((JSON.stringify(args).length + reason.length) / 20) * 1_000;
}

/** A call as a text. Arguments that a schema fills in are none that the model wrote, so empty ones are left out. */
export function callKey({ tool, args }: { tool: string; args: Record<string, unknown> }): string {
  const written = Object.entries(args).filter(([, value]) => value !== undefined);
  return JSON.stringify([tool, Object.fromEntries(written.sort(([a], [b]) => (a < b ? -1 : 1)))]);
}

const PROGRAMS = ["git", "npm", "npx"];

/** The test of the calls that are like this one; nothing where each is a case of its own. */
function likeOf(tool: string, { command, path }: Record<string, unknown>): unknown {
  if (tool === "run_shell" && typeof command === "string") {
    const [program = "", verb] = command.split(" ");
    return PROGRAMS.includes(program) && verb !== undefined
      ? { command: { shell: [`${program} ${verb} *`] } }
      : undefined;
  }
  const folder = tool === "write_file" && typeof path === "string" ? path.split("/")[0] : undefined;
  return folder === undefined || folder === path ? undefined : { path: { within: `${folder}/` } };
}
