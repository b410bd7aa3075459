import { explain } from "../../policy/index.ts";
import { printResult } from "../print.ts";
import { readable } from "../readable.ts";
import { COLUMNS, wrap } from "../wrap.ts";
import { readLocalCall, type CallOptions } from "./call.ts";
import { checkOnServer } from "./check.ts";

/** `policy explain`: the verdict as a paragraph for people. */
export async function explainCall(options: CallOptions): Promise<void> {
  const { explanation, policy, notes } = await explained(options);
  printResult(options, { explanation, policy, notes }, () =>
    [explanation, [`Policy: ${policy}.`, ...notes].join(" ")].flatMap((text) =>
      wrap(readable(text), COLUMNS),
    ),
  );
}

async function explained(options: CallOptions) {
  if (options.graph !== undefined) {
    const { verdict, policy, notes } = await checkOnServer(options);
    return { explanation: `${options.tool}: ${verdict.tier}. ${verdict.why}`, policy, notes };
  }
  const { policy, call, facts, source, notes } = readLocalCall(options);
  return { explanation: explain(policy, call, facts), policy: source, notes };
}
