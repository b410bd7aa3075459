import type { Approval, Args } from "../ledger/index.ts";
import { restoreMasked, type Restored } from "../policy/index.ts";

/** Arguments as somebody sends them who was shown the approval's masked ones: with what is stored where the mask stands. */
export function wholeArgs({ mask, args: stored }: Pick<Approval, "mask" | "args">, args: Args): Restored {
  return restoreMasked(mask, args, stored);
}
