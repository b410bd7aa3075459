import { ask, askOne, type Database, type Work } from "../../ledger/sql/index.ts";
import type { ItemRow, ItemTables } from "./item-row.ts";

/** Which item is meant. */
export type ItemKey = Pick<ItemRow, "namespace" | "key">;

/** Some of the items in order, the newest first. */
export interface ItemPage {
  limit: number;
  offset: number;
}

/** The items that the database keeps. Plain rows, as pieces of one piece of work: `now` decides which still live. */
export class Items {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get({ namespace, key }: ItemKey, now: string): Work<ItemRow | undefined> {
    return askOne(
      this.#live(now).selectAll().where("namespace", "=", namespace).where("key", "=", key).compile(),
    );
  }

  /** The items in a namespace and all below it; of every one for the empty text. */
  under(prefix: string, now: string, page?: ItemPage): Work<ItemRow[]> {
    let select = this.#live(now).selectAll();
    // Cut and compared as it is: LIKE has signs of its own, and SQLite's takes capitals for small letters.
    if (prefix !== "")
      select = select.where((is) =>
        is.or([
          is("namespace", "=", prefix),
          is(is.fn("substr", ["namespace", is.val(1), is.val([...prefix].length + 1)]), "=", `${prefix}.`),
        ]),
      );
    select = select.orderBy("updated_at", "desc").orderBy("namespace").orderBy("key");
    return ask((page ? select.limit(page.limit).offset(page.offset) : select).compile());
  }

  *namespaces(now: string): Work<string[]> {
    const rows = yield* ask(this.#live(now).select("namespace").distinct().compile());
    return rows.map(({ namespace }) => namespace);
  }

  /** Writes an item. One that is there keeps the time at which it was made. */
  put(row: ItemRow): Work<unknown> {
    const { namespace: _namespace, key: _key, created_at: _created_at, ...changed } = row;
    const insert = this.#build()
      .insertInto("server_items")
      .values(row)
      .onConflict((conflict) => conflict.columns(["namespace", "key"]).doUpdateSet(changed));
    return ask(insert.compile());
  }

  remove({ namespace, key }: ItemKey): Work<unknown> {
    const drop = this.#build()
      .deleteFrom("server_items")
      .where("namespace", "=", namespace)
      .where("key", "=", key);
    return ask(drop.compile());
  }

  /** Lets an item live until another time. */
  setExpiry({ namespace, key }: ItemKey, expires_at: string): Work<unknown> {
    const update = this.#build()
      .updateTable("server_items")
      .set({ expires_at })
      .where("namespace", "=", namespace)
      .where("key", "=", key);
    return ask(update.compile());
  }

  /** Drops the items whose time is up. */
  sweep(now: string): Work<unknown> {
    return ask(this.#build().deleteFrom("server_items").where("expires_at", "<=", now).compile());
  }

  #live(now: string) {
    return this.#build()
      .selectFrom("server_items")
      .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", now)]));
  }

  #build() {
    return this.#database.builder<ItemTables>();
  }
}
