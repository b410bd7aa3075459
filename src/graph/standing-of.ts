import { isoTime, standingFor, type Known } from "../desk/index.ts";
import { digest } from "../ledger/index.ts";
import type { Entry } from "./entry.ts";
import { requester } from "./host.ts";
import type { Judged } from "./judge.ts";

/** What stands already for the call of an entry: see {@link standingFor}. */
export function standingOf(entry: Entry, { verdict, shelved, facts }: Judged): Promise<Known> {
  const { ledger, clock } = entry.parts;
  const { thread_id, graph_id, assistant_id } = entry.place;
  const { name: tool, args } = entry.effective();
  return standingFor(ledger, {
    ...{ thread_id, graph_id, assistant_id, user: requester().requested_by ?? null },
    ...{ tool, args: facts.args, args_digest: digest(args), verdict },
    schema_digest: shelved.schema && digest(shelved.schema),
    facts: { fields: facts.tool.fields, paths: facts.paths },
    at: isoTime(clock),
  });
}
