import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { postgresUrl } from "../setup/postgres.ts";

/** The addresses of ledgers of each kind, each empty; PostgreSQL where a server answers. */
export function ledgerUrls(): [string, string][] {
  const folder = mkdtempSync(join(tmpdir(), "countersign-desk-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = postgresUrl();
  return [
    ["in memory", "memory:"],
    ["on SQLite", `file:${join(folder, "desk.db")}`],
    ...(postgres ? [["on PostgreSQL", `${postgres}?schema=desk`] as [string, string]] : []),
  ];
}
