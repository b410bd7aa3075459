import type { Batch } from "./ledger.ts";
import type { Sealed } from "./seal.ts";
import { isWithin, type Limit, type TakeRow } from "./take.ts";

/** What was taken, in a ledger in memory. */
export class MemoryTakes {
  readonly #rows: Map<string, TakeRow>;

  /** @param rows by {@link keyOf}, in the order in which they were taken. */
  constructor(rows: Map<string, TakeRow>) {
    this.#rows = rows;
  }

  /** The first limit of the batches that what they take does not stay within. */
  exceeded(batches: readonly Batch[], sealed: readonly Sealed[]): Limit | undefined {
    const added = sealed.flatMap(({ taken }) => taken);
    const limits = batches.flatMap((batch) => batch.limits ?? []);
    return limits.find((limit) => {
      const rows = [...this.#rows.values(), ...added].filter((row) => counts(row, limit));
      return !isWithin(
        limit.up_to,
        rows.map(({ amount }) => ({ amount, times: 1 })),
      );
    });
  }

  write({ taken, settled }: Sealed): void {
    for (const row of [...taken, ...settled]) this.#rows.set(keyOf(row), row);
  }

  within(limit: Omit<Limit, "up_to">): { at: string; amount: number }[] {
    return [...this.#rows.values()]
      .filter((row) => counts(row, limit))
      .map(({ at, amount }) => ({ at, amount }))
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }
}

function counts(row: TakeRow, { meter, subject, since }: Omit<Limit, "up_to">): boolean {
  return row.meter === meter && row.subject === subject && row.is_returned === 0 && row.at > since;
}

function keyOf({ approval_id, meter }: TakeRow): string {
  return `${approval_id} ${meter}`;
}
