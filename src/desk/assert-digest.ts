import type { Approval } from "../ledger/index.ts";
import { DeskError } from "./error.ts";

/**
 * Holds a decision to the arguments that it was made upon, where it names their digest: whoever decides from a list
 * decides what the list showed, and nothing that stands under the same id elsewhere.
 *
 * @throws {DeskError} `digest_changed`, `invalid_decision`
 */
export function assertDigest({ args_digest: digest }: Record<string, unknown>, approval: Approval): void {
  if (digest === undefined || digest === approval.args_digest) return;
  if (typeof digest !== "string") {
    const errors = [{ path: "args_digest", message: "expected the approval's args_digest" }];
    const message = 'The "args_digest" of a decision is a text. The approval is still pending.';
    throw new DeskError("invalid_decision", message, { approval, errors });
  }
  const message =
    "The decision was made upon other arguments than those that are asked about. Read the approval again. " +
    "Nothing was decided.";
  throw new DeskError("digest_changed", message, { approval });
}
