import type { Outlook } from "../../desk/index.ts";
import { explain } from "../../policy/index.ts";
import { printResult } from "../print.ts";
import { readable } from "../readable.ts";
import { COLUMNS, wrap } from "../wrap.ts";
import { readLocalCall, type CallOptions } from "./call.ts";
import { checkOnServer, isOfServer } from "./check.ts";

/** `policy explain`: the verdict as a paragraph for people. */
export async function explainCall(options: CallOptions): Promise<void> {
  const { explanation, policy, notes } = await explained(options);
  printResult(options, { explanation, policy, notes }, () =>
    [explanation, [`Policy: ${policy}.`, ...notes].join(" ")].flatMap((text) =>
      wrap(readable(text), COLUMNS),
    ),
  );
}

const inWords: Record<Outlook["will"], string> = {
  run: "run without asking",
  announce: "be announced and run",
  ask: "be asked about",
  reject: "be rejected without asking",
  deny: "be denied",
  end: "not run, and the run would end",
};

async function explained(options: CallOptions) {
  if (isOfServer(options)) {
    const { verdict, outlook, policy, notes } = await checkOnServer(options);
    const now = outlook === undefined ? "" : ` Now it would ${inWords[outlook.will]}: ${outlook.why}`;
    return { explanation: `${options.tool}: ${verdict.tier}. ${verdict.why}${now}`, policy, notes };
  }
  const { policy, call, facts, source, notes } = readLocalCall(options);
  return { explanation: explain(policy, call, facts), policy: source, notes };
}
