import type { Migration } from "../../ledger/sql/index.ts";

/** What is told to the owner of the server, one step a version. */
export const noticeMigrations: Migration[] = [
  (build) => [
    build.schema
      .createTable("notice_cursors")
      .addColumn("target", "text", (column) => column.primaryKey())
      .addColumn("seq", "bigint", (column) => column.notNull())
      .compile(),
    build.schema
      .createTable("notices_quiet")
      .addColumn("target", "text", (column) => column.notNull())
      .addColumn("approval_id", "text", (column) => column.notNull())
      .addColumn("thread_id", "text", (column) => column.notNull())
      .addColumn("quiet_until", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("notices_quiet_key", ["target", "approval_id"])
      .compile(),
  ],
];
