import type { RubberStampInput } from "./fatigue-document.ts";

/** Signs that a reviewer no longer reads and what follows, with every default filled in. */
export interface RubberStamp {
  /** How many of a reviewer's newest decisions under a rule are looked at. */
  window: number;
  approveRate: number;
  medianSeconds: number;
  then: { requireReason: boolean; pauseSeconds: number; secondReviewer: boolean };
}

/** Fills in the defaults. Without a consequence, the signs are only told. */
export function fillRubberStamp(input: RubberStampInput): RubberStamp {
  const { window, approveRate = 0.95, medianSeconds = 2, then } = input;
  const { requireReason = false, pauseSeconds = 0, secondReviewer = false } = then;
  return { window, approveRate, medianSeconds, then: { requireReason, pauseSeconds, secondReviewer } };
}
