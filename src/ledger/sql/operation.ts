import type { CompiledQuery, Kysely } from "kysely";
import { createBuilder } from "./builder.ts";
import { ask, askOne, type Dialect, type Work } from "./database.ts";
import type { LedgerTables } from "./tables.ts";

/** Stands for a parameter while the SQL is written. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Writes the SQL of a query, with `given` standing for the parameters. */
type Writer<Given extends object, Row, Tables> = (
  build: Kysely<Tables>,
  given: Given,
  dialect: Dialect,
) => { compile(): CompiledQuery<Row> };

/** One named query. Its SQL is written once for each database, since writing it costs more than running it. */
export class Operation<Given extends object, Row, Tables = LedgerTables> {
  readonly #write: Writer<Given, Row, Tables>;
  readonly #written = new Map<Dialect, CompiledQuery<Row>>();

  constructor(write: Writer<Given, Row, Tables>) {
    this.#write = write;
  }

  /** The query with its parameters, to be run. */
  query(dialect: Dialect, given: Given): CompiledQuery<Row> {
    const query = this.#of(dialect);
    const values = given as Readonly<Record<string, unknown>>;
    const parameters = query.parameters.map((one) => (one instanceof Placeholder ? values[one.name] : one));
    return { ...query, parameters };
  }

  rows(dialect: Dialect, given: Given): Work<Row[]> {
    return ask(this.query(dialect, given));
  }

  row(dialect: Dialect, given: Given): Work<Row | undefined> {
    return askOne(this.query(dialect, given));
  }

  #of(dialect: Dialect): CompiledQuery<Row> {
    const known = this.#written.get(dialect);
    if (known) return known;
    // Kysely passes parameters through as they are, so a placeholder goes in where a value will stand.
    const given = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Given;
    const query = this.#write(createBuilder(dialect), given, dialect).compile();
    this.#written.set(dialect, query);
    return query;
  }
}
