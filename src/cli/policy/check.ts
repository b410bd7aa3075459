import { evaluate } from "../../policy/index.ts";
import { Client } from "../client.ts";
import { readJsonObject } from "../json-argument.ts";
import { printResult } from "../print.ts";
import { labelled } from "../labelled.ts";
import { exact } from "../readable.ts";
import { readLocalCall, readPolicyFile, type CallOptions } from "./call.ts";

export type CheckOptions = CallOptions;

/** What a check answers, here and on the server. */
export interface Checked {
  verdict: { tier: string; rules: string[]; why: string };
  policy: string;
  notes: string[];
}

/** `policy check`: tier, rules and why. */
export async function checkCall(options: CheckOptions): Promise<void> {
  const checked = options.graph === undefined ? checkHere(options) : await checkOnServer(options);
  printResult(options, checked, () => [
    `tier       ${checked.verdict.tier}`,
    `rules      ${checked.verdict.rules.length === 0 ? "none" : checked.verdict.rules.map(exact).join(", ")}`,
    ...labelled("why", checked.verdict.why),
    ...labelled("policy", checked.policy),
    ...checked.notes.flatMap((note) => labelled("note", note)),
  ]);
}

function checkHere(options: CheckOptions): Checked {
  const { policy, source, call, facts, notes } = readLocalCall(options);
  const { tier, rules, why } = evaluate(policy, call, facts);
  return { verdict: { tier, rules, why }, policy: source, notes };
}

/** Asks the server, which knows the graph's tools and follows paths. */
export async function checkOnServer(options: CheckOptions): Promise<Checked> {
  const args = readJsonObject(options.args, "--args");
  const file = options.policy === undefined ? undefined : readPolicyFile(options.policy);
  const client = new Client();
  const { verdict } = await client.send<Pick<Checked, "verdict">>("/policies/check", {
    method: "POST",
    body: {
      tool: options.tool,
      args,
      graph_id: options.graph,
      ...(file === undefined ? {} : { policy: file.document }),
    },
  });
  return { verdict, policy: file?.source ?? `that of ${options.graph} at ${client.url}`, notes: [] };
}
