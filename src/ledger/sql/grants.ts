import { EVERYONE, type GrantRow } from "../grant.ts";
import type { GrantQuery, GrantsFor } from "../ledger.ts";
import { GRANT_LIMIT, limitOf, readCursor } from "../query.ts";
import type { Sealed } from "../seal.ts";
import { grantChanges } from "../grant-changes.ts";
import type { Dialect, Work } from "./database.ts";
import { Operation } from "./operation.ts";

/** Writes what events of a batch do to grants. */
export function* writeGrants(dialect: Dialect, sealed: Sealed): Work<void> {
  for (const change of grantChanges(sealed)) {
    if (change.kind === "made") yield* insertGrant.rows(dialect, change.row);
    else if (change.kind === "revoked") yield* revoke.rows(dialect, change);
    else yield* settle.rows(dialect, change);
  }
}

/** Takes one use of a grant; false when there is none left, or it has ended. */
export function* useGrant(dialect: Dialect, grant_id: string, at: string): Work<boolean> {
  return (yield* take.row(dialect, { grant_id, at })) !== undefined;
}

const insertGrant = new Operation((build, row: GrantRow) => {
  const { grant_id, call_id, thread_id, tool, scope, subject, status, expires_at } = row;
  const { uses, used, made_seq, record } = row;
  const place = { grant_id, call_id, thread_id, tool, scope, subject, status, expires_at };
  return build.insertInto("ledger_grants").values({ ...place, uses, used, made_seq, record });
});

const revoke = new Operation((build, { grant_id }: { grant_id: string }) =>
  build.updateTable("ledger_grants").set({ status: "revoked" }).where("grant_id", "=", grant_id),
);

const settle = new Operation((build, { call_id, status }: { call_id: string; status: "active" | "void" }) =>
  build
    .updateTable("ledger_grants")
    .set({ status })
    .where("call_id", "=", call_id)
    .where("status", "=", "waiting"),
);

const take = new Operation((build, { grant_id, at }: { grant_id: string; at: string }) =>
  build
    .updateTable("ledger_grants")
    .set(({ eb }) => ({ used: eb("used", "+", 1) }))
    .where("grant_id", "=", grant_id)
    .where("status", "=", "active")
    .where("expires_at", ">", at)
    .whereRef("used", "<", "uses")
    .returning("grant_id"),
);

export const grantRow = new Operation((build, { grant_id }: { grant_id: string }) =>
  build.selectFrom("ledger_grants").selectAll().where("grant_id", "=", grant_id),
);

/** Those that may speak of a call, the newest first: what was said last outranks what was said before. */
export const grantsFor = new Operation((build, given: Required<GrantsFor>) =>
  build
    .selectFrom("ledger_grants")
    .selectAll()
    .where("tool", "=", given.tool)
    .where("status", "=", "active")
    .where("expires_at", ">", given.at)
    .where((either) =>
      either.or([
        either("subject", "=", given.thread_id),
        either("subject", "=", given.user),
        either("subject", "=", EVERYONE),
      ]),
    )
    .orderBy("made_seq", "desc")
    .limit(1_000),
);

/** One more than a page holds. */
export function grantPage(dialect: Dialect, query: GrantQuery) {
  const limit = limitOf(query.limit, GRANT_LIMIT);
  const isOpen = query.status === "active";
  const given = { after: readCursor(query), most: limit + 1, at: query.at };
  return { limit, query: (isOpen ? openGrants : allGrants).query(dialect, given) };
}

const openGrants = new Operation((build, given: { after: number; most: number; at: string }) =>
  build
    .selectFrom("ledger_grants")
    .selectAll()
    .where("status", "in", ["waiting", "active"])
    .where("expires_at", ">", given.at)
    .whereRef("used", "<", "uses")
    .where("made_seq", ">", given.after)
    .orderBy("made_seq")
    .limit(given.most),
);

const allGrants = new Operation((build, given: { after: number; most: number; at: string }) =>
  build
    .selectFrom("ledger_grants")
    .selectAll()
    .where("made_seq", ">", given.after)
    .orderBy("made_seq")
    .limit(given.most),
);
