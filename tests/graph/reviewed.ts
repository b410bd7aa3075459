import type { Reviewer } from "../../src/graph/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { bench, remove, type Bench, type BenchOptions } from "./harness.ts";

export const steps = [{ tool_calls: [remove("a", "c1")] }, { content: "done" }];
export const approves: Reviewer = async () => ({ type: "approve", reason: "It is harmless.", risk: "low" });
export const rejects: Reviewer = async () => ({ type: "reject", reason: "It is not.", message: "Leave it." });
export const passes: Reviewer = async () => ({ type: "next", reason: "No idea.", risk: "medium" });
export const both = ["approve" as const, "reject" as const];

type Use = NonNullable<PolicyInput["reviewers"]>[number];

/** A bench whose policy asks these reviewers, in their order, and lets them approve and reject. */
export function reviewed(
  reviewers: Record<string, Reviewer>,
  { use = {}, policy = {}, script = steps, ...options }: Partial<Settings> = {},
): Promise<Bench> {
  const uses = Object.keys(reviewers).map((name): Use => ({ use: name, may: both, ...use }));
  return bench(script, { reviewers, policy: { version: 1, reviewers: uses, ...policy }, ...options });
}

export interface Settings extends Omit<BenchOptions, "policy"> {
  use: Partial<Use>;
  policy: Partial<PolicyInput>;
  script: Parameters<typeof bench>[0];
}

export async function answersOf(one: Bench): Promise<unknown[]> {
  return (await one.events()).flatMap(({ type, data }) => (type === "reviewer_answered" ? [data] : []));
}
