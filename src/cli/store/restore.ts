import { restoreStore, type Restored } from "../../wire.ts";
import { printResult } from "../print.ts";
import type { StoreOptions } from "./command.ts";

/** `store restore`: puts a backup in the place of a store, and says what is gone with what was there. */
export async function restore(file: string, options: StoreOptions): Promise<void> {
  const restored = await restoreStore(options.store, file);
  printResult(options, restored, () => [
    `Restored ${restored.store}`,
    `events     ${restored.events}`,
    ...(restored.kept === null ? [] : [`kept       ${restored.kept}`]),
    ...warnings(restored),
  ]);
}

function warnings({ lost, kept }: Restored): string[] {
  if (kept === null || lost === 0) return [];
  const what =
    lost === null
      ? "The store that was there has another past than the backup. All that it held is gone from this one."
      : `Gone: ${lost} events that were written after the backup, with every decision and result in them.`;
  return [
    what,
    "What was decided since then is asked again or done again: look at what is open before you start the server.",
  ];
}
