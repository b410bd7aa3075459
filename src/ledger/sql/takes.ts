import type { Limit, TakeRow } from "../take.ts";
import { isWithin } from "../take.ts";
import type { Sealed } from "../seal.ts";
import type { Dialect, Work } from "./database.ts";
import type { SchemaTables } from "./migrate.ts";
import { Operation } from "./operation.ts";

/** There is no room for a take. Thrown, so that nothing of the work stays. */
export class NoRoom extends Error {
  readonly limit: Limit;
  constructor(limit: Limit) {
    super(`There is no room in ${limit.meter}.`);
    this.limit = limit;
  }
}

/** Writes what the events of a batch take and give back. */
export function* writeTakes(dialect: Dialect, { taken, settled }: Sealed): Work<void> {
  for (const row of taken) yield* insertTake.rows(dialect, row);
  for (const row of settled) yield* settleTake.rows(dialect, row);
}

/** Whether all that is taken by now, also in this very work, stays within the limits. @throws {NoRoom} */
export function* checkRoom(dialect: Dialect, limits: readonly Limit[]): Work<void> {
  for (const limit of limits)
    if (!isWithin(limit.up_to, yield* sums.rows(dialect, limit))) throw new NoRoom(limit);
}

const insertTake = new Operation((build, row: TakeRow) => {
  const { approval_id, meter, subject, call_id, at, amount, is_returned } = row;
  return build
    .insertInto("ledger_takes")
    .values({ approval_id, meter, subject, call_id, at, amount, is_returned });
});

const settleTake = new Operation((build, { approval_id, meter, is_returned }: TakeRow) =>
  build
    .updateTable("ledger_takes")
    .set({ is_returned })
    .where("approval_id", "=", approval_id)
    .where("meter", "=", meter),
);

// Summed up by whoever asks, since a sum of binary fractions depends on their order.
const sums = new Operation((build, { meter, subject, since }: Limit) =>
  build
    .selectFrom("ledger_takes")
    .select(["amount", ({ fn }) => fn.countAll<number>().as("times")])
    .where("meter", "=", meter)
    .where("subject", "=", subject)
    .where("is_returned", "=", 0)
    .where("at", ">", since)
    .groupBy("amount"),
);

/** What counts at a limit now, oldest first. */
export const takenWithin = new Operation((build, { meter, subject, since }: Omit<Limit, "up_to">) =>
  build
    .selectFrom("ledger_takes")
    .select(["at", "amount"])
    .where("meter", "=", meter)
    .where("subject", "=", subject)
    .where("is_returned", "=", 0)
    .where("at", ">", since)
    .orderBy("at"),
);

/** Whether the store has these rows at all: one that is only read may be older than they. */
export function* hasTakes(dialect: Dialect): Work<boolean> {
  const row = yield* schemaVersion.row(dialect, {});
  return row !== undefined && row.version >= FIRST_WITH_TAKES;
}

const FIRST_WITH_TAKES = 4;

const schemaVersion = new Operation<object, { version: number }, SchemaTables>((build, _given) =>
  build.selectFrom("countersign_schema").select("version").where("room", "=", "ledger"),
);

const TAKERS_A_PAGE = 250;

/** The calls of which something is taken. */
export const takers = new Operation((build, { after }: { after: string }) =>
  build
    .selectFrom("ledger_takes")
    .select("call_id")
    .distinct()
    .where("call_id", ">", after)
    .orderBy("call_id")
    .limit(TAKERS_A_PAGE),
);
