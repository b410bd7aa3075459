import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver, type BaseCheckpointSaver } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { afterAll } from "vitest";
import { openLedger, type Ledger } from "../../src/ledger/index.ts";

/** Where a thread's checkpoints and its ledger are kept. */
export interface Stores {
  saver: BaseCheckpointSaver;
  ledger: Ledger;
}

/** Opens the same place again and again: each time with new objects, as another process would. */
export type OpenStores = () => Promise<Stores>;

/** A place in memory. Opening it again gives the same objects. */
export function inMemory(): OpenStores {
  const saver = new MemorySaver();
  const ledger = openLedger("memory:");
  return async () => ({ saver, ledger: await ledger });
}

/** Places on disk, in a folder that goes away after the tests of the calling file. */
export function sqliteFiles(): (name?: string) => OpenStores {
  const folder = mkdtempSync(join(tmpdir(), "countersign-graph-"));
  const closing: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
    rmSync(folder, { recursive: true, force: true });
  });
  let count = 0;
  return (name = `state-${(count += 1)}.db`) => {
    const file = join(folder, name);
    return async () => {
      const ledger = await openLedger(`file:${file}`);
      const saver = SqliteSaver.fromConnString(file);
      closing.push(
        () => saver.db.close(),
        () => ledger.close(),
      );
      return { saver, ledger };
    };
  };
}

/** A place in a PostgreSQL database. */
export function onPostgresAt(url: string): OpenStores {
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
  return async () => {
    const ledger = await openLedger(url);
    const saver = PostgresSaver.fromConnString(url);
    await saver.setup();
    closing.push(
      () => saver.end(),
      () => ledger.close(),
    );
    return { saver, ledger };
  };
}
