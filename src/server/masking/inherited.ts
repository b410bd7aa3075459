import { z } from "zod";
import { Operation } from "../../ledger/sql/index.ts";
import type { ServerTables } from "../database/tables.ts";

/**
 * What a copy of a thread hides as that thread does. The copy has its states and none of its rows in the ledger, which
 * tell what was masked. They are read too for as long as they are there; what they told when the copy was made is kept
 * with it, and goes with it, since the copy itself holds the masked values in its states.
 */
export const Inherited = z.object({
  /** The thread that was copied, before it the one that this was a copy of, and so on. */
  threads: z.array(z.string()),
  masks: z.array(z.string()),
  secrets: z.array(z.string()),
});
export type Inherited = z.infer<typeof Inherited>;

export const NOTHING: Inherited = { threads: [], masks: [], secrets: [] };

export const inheritedOf = new Operation<
  { thread_id: string },
  { inherited_json: string | null },
  ServerTables
>((build, { thread_id }) =>
  build.selectFrom("server_threads").select("inherited_json").where("thread_id", "=", thread_id),
);
