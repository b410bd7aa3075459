import { ask, askOne, type Database, type Work } from "../../ledger/sql/index.ts";
import type { Assistant, AssistantVersion, Saying } from "./assistant.ts";
import type { AssistantRow, AssistantTables, VersionRow } from "./tables.ts";

type Joined = Pick<VersionRow, "saying_json"> & AssistantRow;

/** The assistants that clients have saved, with all their versions. */
export class SavedAssistants {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Saves a new one as its version 1; false when there is one of this id. */
  async add(assistant_id: string, saying: Saying, at: string): Promise<boolean> {
    const insert = this.#build()
      .insertInto("server_assistants")
      .values({ assistant_id, version: 1, created_at: at, updated_at: at })
      .onConflict((conflict) => conflict.column("assistant_id").doNothing())
      .returning("assistant_id")
      .compile();
    const version = this.#insertVersion(assistant_id, 1, saying, at);
    return this.#database.run(function* () {
      if ((yield* askOne(insert)) === undefined) return false;
      yield* ask(version);
      return true;
    });
  }

  async get(assistant_id: string): Promise<Assistant | undefined> {
    const query = this.#joined().where("server_assistants.assistant_id", "=", assistant_id).compile();
    const row = await this.#database.read(() => askOne<Joined>(query));
    return row && shown(row);
  }

  async all(): Promise<Assistant[]> {
    const query = this.#joined().orderBy("server_assistants.assistant_id").compile();
    return (await this.#database.read(() => ask<Joined>(query))).map(shown);
  }

  /**
   * Adds a version, which counts from now on, with what `change` makes of the one that counted. What `change` throws
   * leaves all as it was.
   */
  async update(assistant_id: string, change: (now: Saying) => Saying, at: string): Promise<boolean> {
    const build = this.#build();
    const newest = build
      .selectFrom("server_assistant_versions")
      .select((one) => one.fn.max("version").as("version"))
      .where("assistant_id", "=", assistant_id)
      .compile();
    const current = this.#joined().where("server_assistants.assistant_id", "=", assistant_id).compile();
    const add = (version: number, saying: Saying) => this.#insertVersion(assistant_id, version, saying, at);
    const choose = (version: number) => this.#choose(assistant_id, version, at);
    const touch = this.#touch(assistant_id, at);
    return this.#database.run(function* (): Work<boolean> {
      // Written first, so that another change of the same assistant waits for this one.
      if ((yield* askOne(touch)) === undefined) return false;
      const row = yield* askOne<Joined>(current);
      const version = ((yield* askOne<{ version: number }>(newest))?.version ?? 0) + 1;
      yield* ask(add(version, change((row && sayingOf(row)) as Saying)));
      yield* ask(choose(version));
      return true;
    });
  }

  /** Lets an older version count again; false when there is none of this number. */
  async choose(assistant_id: string, version: number, at: string): Promise<boolean> {
    const find = this.#build()
      .selectFrom("server_assistant_versions")
      .select("version")
      .where("assistant_id", "=", assistant_id)
      .where("version", "=", version)
      .compile();
    const choose = this.#choose(assistant_id, version, at);
    return this.#database.run(function* () {
      if ((yield* askOne(find)) === undefined) return false;
      yield* ask(choose);
      return true;
    });
  }

  /** The versions of one, the newest first. */
  async versions(assistant_id: string): Promise<AssistantVersion[]> {
    const query = this.#build()
      .selectFrom("server_assistant_versions")
      .selectAll()
      .where("assistant_id", "=", assistant_id)
      .orderBy("version", "desc")
      .compile();
    const rows = await this.#database.read(() => ask(query));
    return rows.map((row) => ({
      ...{ assistant_id, version: row.version, created_at: row.created_at },
      ...sayingOf(row),
    }));
  }

  async remove(assistant_id: string): Promise<void> {
    const build = this.#build();
    const all = (["server_assistant_versions", "server_assistants"] as const).map((table) =>
      build.deleteFrom(table).where("assistant_id", "=", assistant_id).compile(),
    );
    await this.#database.run(function* () {
      for (const query of all) yield* ask(query);
    });
  }

  #insertVersion(assistant_id: string, version: number, saying: Saying, at: string) {
    return this.#build()
      .insertInto("server_assistant_versions")
      .values({ assistant_id, version, created_at: at, saying_json: JSON.stringify(saying) })
      .compile();
  }

  #choose(assistant_id: string, version: number, at: string) {
    return this.#build()
      .updateTable("server_assistants")
      .set({ version, updated_at: at })
      .where("assistant_id", "=", assistant_id)
      .compile();
  }

  #touch(assistant_id: string, at: string) {
    return this.#build()
      .updateTable("server_assistants")
      .set({ updated_at: at })
      .where("assistant_id", "=", assistant_id)
      .returning("assistant_id")
      .compile();
  }

  #joined() {
    return this.#build()
      .selectFrom("server_assistants")
      .innerJoin("server_assistant_versions", (join) =>
        join
          .onRef("server_assistant_versions.assistant_id", "=", "server_assistants.assistant_id")
          .onRef("server_assistant_versions.version", "=", "server_assistants.version"),
      )
      .selectAll("server_assistants")
      .select("server_assistant_versions.saying_json");
  }

  #build() {
    return this.#database.builder<AssistantTables>();
  }
}

function shown({ saying_json: _, ...row }: Joined): Assistant {
  return { ...row, ...sayingOf({ saying_json: _ }) };
}

function sayingOf({ saying_json }: Pick<VersionRow, "saying_json">): Saying {
  return JSON.parse(saying_json) as Saying;
}
