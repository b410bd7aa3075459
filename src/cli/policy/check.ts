import type { Outlook } from "../../desk/index.ts";
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
  /** What would come of it now; of a server alone. */
  outlook?: Outlook;
  policy: string;
  notes: string[];
}

/** `policy check`: tier, rules and why. */
export async function checkCall(options: CheckOptions): Promise<void> {
  const checked = isOfServer(options) ? await checkOnServer(options) : checkHere(options);
  printResult(options, checked, () => [
    `tier       ${checked.verdict.tier}`,
    `rules      ${checked.verdict.rules.length === 0 ? "none" : checked.verdict.rules.map(exact).join(", ")}`,
    ...labelled("why", checked.verdict.why),
    ...(checked.outlook === undefined ? [] : outlookLines(checked.outlook)),
    ...labelled("policy", checked.policy),
    ...checked.notes.flatMap((note) => labelled("note", note)),
  ]);
}

/** Whether only a server can tell: it knows the graph's tools, and what happened on a thread. */
export function isOfServer({ graph, thread }: CheckOptions): boolean {
  return graph !== undefined || thread !== undefined;
}

function outlookLines({ will, by, why, question }: Outlook): string[] {
  const who = by.id === null ? by.kind : `${by.kind} ${by.id}`;
  return [
    ...labelled("now", `${will}, by ${who}`),
    ...(question === null ? labelled("", why) : questionLines(question)),
  ];
}

function questionLines(question: NonNullable<Outlook["question"]>): string[] {
  const { description, timeout, on_timeout, escalate, quorum, by, allowed_decisions } = question;
  const who =
    by.length === 0 ? "everybody who reviews" : by.map((names) => names.join(" or ")).join(", and ");
  const then = on_timeout === "escalate" ? `goes to ${escalate.join(", then ")}` : on_timeout;
  return [
    ...(description === null ? [] : labelled("question", description)),
    ...labelled("answers", allowed_decisions.join(", ")),
    ...labelled("asked", `${who}${quorum > 1 ? `, ${quorum} of them` : ""}; after ${timeout}: ${then}`),
    ...(question.automatic.length === 0 ? [] : labelled("before", question.automatic.join(", then "))),
    ...(question.quiet_until === null ? [] : labelled("quiet", `until ${question.quiet_until}`)),
  ];
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
  const { verdict, outlook } = await client.send<Pick<Checked, "verdict" | "outlook">>("/policies/check", {
    method: "POST",
    body: {
      tool: options.tool,
      args,
      ...(options.graph !== undefined && { graph_id: options.graph }),
      ...(options.thread !== undefined && { thread_id: options.thread }),
      ...(file === undefined ? {} : { policy: file.document }),
    },
  });
  const whose = options.graph ?? `thread ${options.thread}`;
  const policy = file?.source ?? `that of ${whose} at ${client.url}`;
  return { verdict, ...(outlook && { outlook }), policy, notes: [] };
}
