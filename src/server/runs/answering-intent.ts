import { isEnding } from "./jump.ts";
import type { Intent } from "./run-body.ts";

/** Whether a body decides or ends what is open, as nobody but a reviewer may. */
export function isAnswering(intent: Intent): boolean {
  if (intent.kind === "jump") return intent.hasAnswer || isEnding(intent);
  return intent.kind === "answer";
}
