import { CompiledQuery, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { ask as question, isConstraintError, openDatabase } from "../../src/ledger/sql/index.ts";
import type { Database, Migration } from "../../src/ledger/sql/index.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { ask } from "./events.ts";
import { tempFolder } from "./temp-folder.ts";

const newPath = tempFolder();
const postgres = postgresUrl();
let count = 0;

interface Tables {
  runs: { run_id: string; status: string; started: number };
}

const one: Migration = (build) => [
  build.schema
    .createTable("runs")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("status", "text", (column) => column.notNull())
    .compile(),
];
const two: Migration = (build, dialect) => [
  build.schema
    .alterTable("runs")
    .addColumn("started", dialect === "sqlite" ? "integer" : "bigint", (column) =>
      column.notNull().defaultTo(0),
    )
    .compile(),
];

function databaseContract(name: string, url: () => string): void {
  describe(`${name}: a database that rooms share`, () => {
    const build = (database: Database) => database.builder<Tables>();
    const insert = (database: Database, run_id: string) =>
      question(
        build(database)
          .insertInto("runs")
          .values({ run_id, status: "busy", started: 2 ** 40 })
          .compile(),
      );
    const all = (database: Database) =>
      database.read(() =>
        question(build(database).selectFrom("runs").selectAll().orderBy("run_id").compile()),
      );

    it("keeps the tables of a room beside the ledger, each with versions of its own", async () => {
      const database = await openDatabase(url());
      const ledger = await openLedger(database);
      await database.migrate("server", [one]);
      await database.migrate("server", [one, two]);
      await database.migrate("server", [one, two]);
      await database.run(() => insert(database, "r1"));
      await ask(ledger, "t1");
      expect(await all(database)).toEqual([{ run_id: "r1", status: "busy", started: 2 ** 40 }]);
      await expect(database.migrate("server", [one])).rejects.toMatchObject({ code: "newer_schema" });
      await ledger.close();
      expect(await all(database)).toHaveLength(1);
      await database.close();
      await expect(all(database)).rejects.toMatchObject({ code: "closed" });
    });

    it("does all of a piece of work or nothing, and hands out the errors of constraints", async () => {
      const database = await openDatabase(url());
      await database.migrate("server", [one, two]);
      const twice = database.run(function* () {
        yield* insert(database, "r1");
        yield* insert(database, "r1");
      });
      expect(isConstraintError(await twice.catch((error: unknown) => error))).toBe(true);
      const thrown = database.run(function* () {
        yield* insert(database, "r2");
        throw new RangeError("changed my mind");
      });
      await expect(thrown).rejects.toThrow(RangeError);
      expect(await all(database)).toEqual([]);
      await database.run(() => insert(database, "r3"));
      expect(await all(database)).toHaveLength(1);
      await database.close();
    });

    it("leaves nothing of migrations that fail half way", async () => {
      const database = await openDatabase(url());
      const broken: Migration = () => [CompiledQuery.raw("create table nonsense nonsense")];
      await expect(database.migrate("server", [one, broken])).rejects.toThrow();
      await database.migrate("server", [one, two]);
      expect(await all(database)).toEqual([]);
      await database.close();
    });

    it("gives a view that does not move while others write, and holds up none of them", async () => {
      const database = await openDatabase(url());
      await database.migrate("server", [one, two]);
      await database.run(() => insert(database, "r1"));
      const counted = sql<{ count: number }>`select count(*) as count from runs`.compile(build(database));
      const counts = await database.snapshot(async (read) => {
        const before = await read(() => question(counted));
        await database.run(() => insert(database, "r2"));
        return [before, await read(() => question(counted)), await database.read(() => question(counted))];
      });
      expect(counts.map((rows) => rows[0]?.count)).toEqual([1, 1, 2]);
      await database.close();
    });
  });
}

databaseContract("SQLite", () => `file:${newPath()}`);
describe.skipIf(!postgres)("PostgreSQL", () => {
  databaseContract("PostgreSQL", () => `${postgres}?schema=rooms_${(count += 1)}`);
});
