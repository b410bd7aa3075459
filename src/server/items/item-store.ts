import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { isoTime } from "../../desk/index.ts";
import type { Database, Work } from "../../ledger/sql/index.ts";
import { ServerError } from "../problem.ts";
import { checkFilter, passes } from "./filter.ts";
import { itemOf, type ItemRow } from "./item-row.ts";
import { Items } from "./items.ts";
import { checkKey, checkNamespace, fits, labelsOf, textOf } from "./namespace.ts";

/** What the API can say of the life of an item, beyond what LangGraph's operations in JavaScript do. */
export type TimedOperation = Operation & {
  /** With a put: how many minutes it lives; without, for good. */
  ttl?: number | null;
  /** With a get or a search: whether what is found begins its life anew. */
  refreshTtl?: boolean;
};

const MAX_ROWS = 2 ** 31 - 1;

/**
 * LangGraph's long-term store, kept in the server's database: what graphs remember across threads, and what clients
 * read and write at `/store`. There is no search by meaning: a `query` changes nothing, and no item has a score.
 *
 * @throws {ServerError} `invalid_request` for a bad namespace, key, value or filter. Nothing was written then.
 */
export class ItemStore extends BaseStore {
  readonly #database: Database;
  readonly #items: Items;
  readonly #clock: () => number;

  constructor(database: Database, clock: () => number) {
    super();
    this.#database = database;
    this.#items = new Items(database);
    this.#clock = clock;
  }

  /** Does all operations in one step. Those that read see what was there before those that write. */
  async batch<Operations extends TimedOperation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    for (const operation of operations) check(operation);
    const isWriting = operations.some((one) => "value" in one || one.refreshTtl === true);
    const work = (): Work<unknown[]> => this.#play(operations, isWriting);
    const results = await (isWriting ? this.#database.run(work) : this.#database.read(work));
    return results as OperationResults<Operations>;
  }

  *#play(operations: readonly TimedOperation[], isWriting: boolean): Work<unknown[]> {
    const now = isoTime(this.#clock);
    const results: unknown[] = [];
    for (const one of operations) results.push(isPut(one) ? undefined : yield* this.#read(one, now));
    for (const one of operations) if (isPut(one)) yield* this.#write(one, now);
    if (isWriting) yield* this.#items.sweep(now);
    return results;
  }

  *#read(
    operation: Exclude<TimedOperation, PutOperation>,
    now: string,
  ): Work<Item | null | SearchItem[] | string[][]> {
    if (isSearch(operation)) {
      const rows = yield* this.#search(operation, now);
      if (operation.refreshTtl === true) for (const row of rows) yield* this.#refresh(row);
      return rows.map(itemOf);
    }
    if (!isGet(operation)) return yield* this.#namespaces(operation, now);
    const row = yield* this.#items.get({ namespace: textOf(operation.namespace), key: operation.key }, now);
    if (row && operation.refreshTtl === true) yield* this.#refresh(row);
    return row ? itemOf(row) : null;
  }

  *#search(
    { namespacePrefix, filter, limit = 10, offset = 0 }: SearchOperation,
    now: string,
  ): Work<ItemRow[]> {
    const prefix = textOf(namespacePrefix);
    const page = { limit: Math.min(limit, MAX_ROWS), offset };
    if (filter === undefined) return yield* this.#items.under(prefix, now, page);
    const rows = yield* this.#items.under(prefix, now);
    const found = rows.filter(({ value_json }) => passes(JSON.parse(value_json) as Item["value"], filter));
    return found.slice(offset, offset + page.limit);
  }

  *#namespaces(operation: ListNamespacesOperation, now: string): Work<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation;
    const all = yield* this.#items.namespaces(now);
    const fitting = all
      .map(labelsOf)
      .filter((labels) => matchConditions.every((condition) => fits(labels, condition)))
      .map((labels) => textOf(labels.slice(0, maxDepth)));
    return [...new Set(fitting)]
      .sort()
      .slice(offset, offset + limit)
      .map(labelsOf);
  }

  *#write({ namespace, key, value, ttl }: PutOperation & TimedOperation, now: string): Work<void> {
    const place = { namespace: textOf(namespace), key };
    if (value === null) {
      yield* this.#items.remove(place);
      return;
    }
    const ttl_minutes = ttl ?? null;
    yield* this.#items.put({
      ...{ ...place, value_json: JSON.stringify(value), created_at: now, updated_at: now },
      ...{ ttl_minutes, expires_at: ttl_minutes === null ? null : this.#after(ttl_minutes) },
    });
  }

  *#refresh(row: ItemRow): Work<void> {
    if (row.ttl_minutes !== null) yield* this.#items.setExpiry(row, this.#after(row.ttl_minutes));
  }

  #after(minutes: number): string {
    return isoTime(() => this.#clock() + minutes * 60_000);
  }
}

function check(operation: TimedOperation): void {
  if (isSearch(operation)) {
    checkNamespace(operation.namespacePrefix, true);
    if (operation.filter) checkFilter(operation.filter);
    return;
  }
  if (isPut(operation)) {
    checkNamespace(operation.namespace, operation.value === null);
    checkKey(operation.key);
    if (operation.value !== null) checkValue(operation.value);
  } else if (isGet(operation)) {
    checkNamespace(operation.namespace, true);
    checkKey(operation.key);
  } else for (const { path } of operation.matchConditions ?? []) checkNamespace(path, true);
}

/** A value is a JSON object: what JSON cannot say would come back as something else. */
function checkValue(value: unknown): void {
  const message = 'The "value" is no JSON object.';
  if (typeof value === "object" && !Array.isArray(value)) return;
  throw new ServerError("invalid_request", message, { errors: [{ path: "value", message }] });
}

const isPut = (one: TimedOperation): one is PutOperation & TimedOperation => "value" in one;
const isSearch = (one: TimedOperation): one is SearchOperation & TimedOperation => "namespacePrefix" in one;
const isGet = (one: TimedOperation): one is GetOperation & TimedOperation => "key" in one && !isPut(one);
