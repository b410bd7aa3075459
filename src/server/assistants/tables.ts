import type { Migration } from "../../ledger/sql/index.ts";

/** A saved assistant. What it says is in its versions. */
export interface AssistantRow {
  assistant_id: string;
  /** The version that counts: the newest, until an older one is chosen. */
  version: number;
  created_at: string;
  updated_at: string;
}

/** One version of a saved assistant, which never changes. */
export interface VersionRow {
  assistant_id: string;
  version: number;
  created_at: string;
  /** What the assistant says, as JSON. */
  saying_json: string;
}

export interface AssistantTables {
  server_assistants: AssistantRow;
  server_assistant_versions: VersionRow;
}

/** The schema of the saved assistants, one step a version. Steps that were released are never changed: add another one. */
export const assistantMigrations: Migration[] = [
  ({ schema }) => [
    schema
      .createTable("server_assistants")
      .addColumn("assistant_id", "text", (column) => column.primaryKey())
      .addColumn("version", "integer", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("updated_at", "text", (column) => column.notNull())
      .compile(),
    schema
      .createTable("server_assistant_versions")
      .addColumn("assistant_id", "text", (column) => column.notNull())
      .addColumn("version", "integer", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("saying_json", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("server_assistant_versions_key", ["assistant_id", "version"])
      .compile(),
  ],
];
