import {
  checkTest,
  describeTest,
  fieldsNamed,
  maskedPaths,
  parseDuration,
  passes,
  When,
} from "../policy/index.ts";
import type { Approval } from "./approval.ts";
import type { Call } from "./call.ts";
import { digest } from "./canonical.ts";
import type { DecidedBy, Decision, Remember } from "./decision.ts";
import type { GrantMade, GrantMatch } from "./grant.ts";
import { grantId } from "./ids.ts";

type Fault = { message: string; path: string };

interface Asked {
  decision: Decision & { remember: Remember };
  by: DecidedBy;
  at: string;
}

/** What is remembered with a decision, or what is wrong with that wish. Never wider or longer than was offered. */
export function remembered(
  call: Call,
  approval: Approval,
  asked: Asked,
): { made: GrantMade } | { fault: Fault } {
  const { decision, by, at } = asked;
  const { scope, match, ttl, uses } = decision.remember;
  const offered = approval.remember;
  if (offered === undefined) return fault("remember", "Decisions of this approval are not remembered.");
  if (!offered.scopes.includes(scope)) {
    const allowed = offered.scopes.map((one) => `"${one}"`).join(", ");
    return fault("remember.scope", `"${scope}" is not offered for this approval. Offered: ${allowed}.`);
  }
  if (decision.type === "edit" && decision.tool !== undefined && decision.tool !== approval.tool)
    return fault("remember", "An edit into a call of another tool is not remembered.");
  const longest = parseDuration(offered.max_ttl);
  const ms = ttl === undefined ? longest : msOf(ttl);
  if (ms === undefined || ms > longest)
    return fault("remember.ttl", `It is remembered for "${offered.max_ttl}" at most.`);
  if ((uses ?? 1) > offered.max_uses)
    return fault("remember.uses", `It is remembered for ${offered.max_uses} calls at most.`);
  const subject = { thread: call.thread_id, user: call.requested_by, everyone: null }[scope];
  if (scope === "user" && subject === null)
    return fault("remember.scope", 'Nobody knows who asked for this call, so "user" names nobody.');
  const args = decision.type === "edit" ? decision.args : approval.args;
  // Where the paths of edited arguments lead was never looked up.
  const paths = decision.type === "edit" ? {} : (offered.paths ?? {});
  const tested = { args, paths, mask: approval.mask };
  const wrong = typeof match === "string" ? undefined : faultOfTest(When.parse(match), tested);
  if (wrong) return { fault: wrong };
  const kept = matchOf(match, args);
  return {
    made: {
      grant_id: grantId(approval.approval_id),
      approval_id: approval.approval_id,
      effect: decision.type === "reject" ? "reject" : "approve",
      ...{ scope, subject, graph_id: call.graph_id, assistant_id: call.assistant_id, match: kept },
      covers: `${approval.tool}: ${inWords(kept)}`,
      ...(approval.by.length > 0 && { by: approval.by }),
      ...(approval.separate_duties && { separate_duties: true }),
      ...{ tier: approval.tier, rules: approval.rules, schema_digest: offered.schema_digest, granted_by: by },
      expires_at: new Date(Date.parse(at) + ms).toISOString(),
      uses: uses ?? offered.max_uses,
      ...(decision.type === "reject" && decision.message !== undefined && { message: decision.message }),
    },
  };
}

function matchOf(match: Remember["match"], args: Record<string, unknown>): GrantMatch {
  if (match === "exact") return { kind: "exact", args_digest: digest(args) };
  return match === "tool" ? { kind: "tool" } : { kind: "when", when: match };
}

function inWords(match: GrantMatch): string {
  switch (match.kind) {
    case "exact":
      return "exactly these arguments";
    case "tool":
      return "every call";
    case "when":
      return describeTest(When.parse(match.when));
  }
}

/** A test must be one, hold of the call that it is made with, and say nothing of what is hidden. */
function faultOfTest(
  when: When,
  {
    args,
    paths,
    mask,
  }: { args: Record<string, unknown>; paths: Record<string, string | null>; mask: readonly string[] },
): Fault | undefined {
  const [problem] = checkTest(when, ["remember", "match"]);
  if (problem) return problem;
  const named = fieldsNamed(when);
  const hidden = maskedPaths(mask, args).find((path) => named.some((field) => touches(field, path)));
  if (hidden !== undefined)
    return { path: "remember.match", message: `"${hidden}" is hidden, so nothing is remembered by it.` };
  if (passes(when, args, { paths })) return undefined;
  return { path: "remember.match", message: "The test does not hold of this very call, or nobody can tell." };
}

function touches(field: string, path: string): boolean {
  return field === path || path.startsWith(`${field}.`) || field.startsWith(`${path}.`);
}

function msOf(ttl: string): number | undefined {
  try {
    return parseDuration(ttl);
  } catch {
    return undefined;
  }
}

function fault(path: string, message: string): { fault: Fault } {
  return { fault: { path, message } };
}
