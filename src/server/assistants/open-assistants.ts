import type { Database } from "../../ledger/sql/index.ts";
import { Assistants } from "./assistants.ts";
import { checkSaying, type CheckParts } from "./check-saying.ts";
import { SavedAssistants } from "./saved-assistants.ts";
import { assistantMigrations } from "./tables.ts";

export interface OpenAssistantsParts extends CheckParts {
  database: Database;
  clock: () => number;
  /** Does something for which graphs must find this server as their host. */
  enter: <Result>(work: () => Result) => Result;
}

/** The assistants of a server, those saved in its database among them. */
export async function openAssistants(parts: OpenAssistantsParts): Promise<Assistants> {
  const { database, graphs, clock, enter } = parts;
  await database.migrate("assistants", assistantMigrations);
  const saved = new SavedAssistants(database);
  return new Assistants({
    ...{ graphs, saved, clock },
    check: (saying) => enter(() => checkSaying(parts, saying)),
  });
}
