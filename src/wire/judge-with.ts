import { isoTime, outlooksFor, type Looked, type Outlook } from "../desk/index.ts";
import { Judge } from "../graph/judge.ts";
import { overlaysOf } from "../graph/overlays.ts";
import { generalFacts, shelve } from "../graph/tool-shelf.ts";
import { strictestOn } from "../graph/under-thread-mode.ts";
import { digest, type Ledger } from "../ledger/index.ts";
import { definePolicy } from "../policy/index.ts";
import type { GraphJudgement, Graphs, JudgePort } from "../server/index.ts";
import { madeWith } from "./graph-side.ts";

/** Judges as a graph's own gate does, and tells what would come of it now. */
export function judgeWith(graphs: Graphs, ledger: Ledger, clock: () => number): JudgePort {
  return async (graph_id, calls, { policy, context, thread_id = "", assistant_id = null, user }) => {
    const made = madeWith(await graphs.get(graph_id));
    if (made === undefined) return null;
    const shelf = shelve(made.tools);
    const rule = definePolicy(policy ?? made.policy ?? { version: 1 }, { tools: generalFacts(shelf) });
    const judge = new Judge(rule, shelf);
    const at = isoTime(clock);
    const looked: Looked[] = [];
    const judgements: (() => GraphJudgement)[] = [];
    for (const call of calls) {
      const judgement = judge.judge(call, overlaysOf(context));
      if (judgement.kind === "invalid") {
        judgements.push(() => judgement);
        continue;
      }
      const { verdict, shelved, facts, description } = judgement;
      const mode = await strictestOn(ledger, thread_id, verdict.mode);
      const place = looked.length;
      looked.push({
        ...{ thread_id, user, graph_id, assistant_id, tool: call.name, args: facts.args, at, description },
        args_digest: digest(call.args),
        schema_digest: shelved.schema && digest(shelved.schema),
        verdict: { ...verdict, mode },
        facts: { fields: facts.tool.fields, paths: facts.paths },
      });
      judgements.push(() => ({ kind: "judged", verdict, outlook: outlooks[place] as Outlook }));
    }
    const outlooks = await outlooksFor(ledger, looked, `${thread_id} next`);
    return judgements.map((judgement) => judgement());
  };
}
