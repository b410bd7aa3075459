import type { AutomaticReviewerInput } from "./people-document.ts";

/** Who is asked before a person, with every default filled in. */
export interface AutomaticReviewer {
  /** The name it is registered under in code. */
  use: string;
  may: ("approve" | "reject")[];
  timeout: string;
}

/** Fills in the defaults: it may only reject, and has 20 seconds for it. */
export function fillReviewer({
  use,
  may = ["reject"],
  timeout = "20s",
}: AutomaticReviewerInput): AutomaticReviewer {
  return { use, may: [...new Set(may)].sort(), timeout };
}
