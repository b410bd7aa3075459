import { grantOf, isFor, type Grant } from "../grant.ts";
import type { GrantQuery, GrantsFor, Remembered } from "../ledger.ts";
import { cursorAfter } from "../query.ts";
import { indexable } from "../seal.ts";
import { ask, type Dialect, type Read, type Work } from "./database.ts";
import { grantPage, grantRow, grantsFor } from "./grants.ts";
import { takenWithin } from "./takes.ts";
import { decisionsOf, readRow, settledLike, settledLikeIn } from "./read.ts";

/** What a ledger's database holds of decisions for later calls. */
export function rememberedIn(dialect: Dialect, read: Read): Remembered {
  return {
    grants: (query) => read(() => readGrants(dialect, query)),
    grant: (grant_id, at) => read(() => readGrant(dialect, grant_id, at)),
    grantsFor: (call) => read(() => readGrantsFor(dialect, call)),
    taken: (limit) => read(() => takenWithin.rows(dialect, limit)),
    async decidedBy({ decider, since }) {
      const found = await read(() => decisionsOf.rows(dialect, { decider }));
      return found.map(readRow).filter(({ decision }) => (decision?.decided_at ?? "") >= since);
    },
    async settledLike({ tool, args_digest, thread_id }) {
      const given = { tool: indexable(tool), args_digest };
      const found = await read(() =>
        thread_id === undefined
          ? settledLike.rows(dialect, given)
          : settledLikeIn.rows(dialect, { ...given, thread_id }),
      );
      return found.map(readRow);
    },
  };
}

function* readGrants(
  dialect: Dialect,
  query: GrantQuery,
): Work<{ grants: Grant[]; next_cursor: string | null }> {
  const { limit, query: page } = grantPage(dialect, query);
  const found = yield* ask(page);
  const last = found[limit - 1];
  const next_cursor = last && found.length > limit ? cursorAfter(last.made_seq) : null;
  return { grants: found.slice(0, limit).map((row) => grantOf(row, query.at)), next_cursor };
}

function* readGrant(dialect: Dialect, grant_id: string, at: string): Work<Grant | null> {
  const row = yield* grantRow.row(dialect, { grant_id });
  return row ? grantOf(row, at) : null;
}

function* readGrantsFor(dialect: Dialect, given: GrantsFor): Work<Grant[]> {
  const found = yield* grantsFor.rows(dialect, given);
  // A thread and a user may have one name.
  return found.map((row) => grantOf(row, given.at)).filter((one) => isFor(one, given));
}
