import type { Asked } from "./asked.ts";

/** Whether a person decided: not a clock, a grant, a rule or a function. */
export function isByPerson({ status, decided_by }: Asked): boolean {
  return decided_by?.kind === "user" && ["approved", "edited", "rejected", "responded"].includes(status);
}
