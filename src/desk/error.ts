import type { Approval } from "../ledger/index.ts";

export type DeskErrorCode =
  | "unknown_approval"
  | "unknown_grant"
  | "already_decided"
  | "expired"
  | "cancelled"
  | "erased"
  | "invalid_decision"
  | "digest_changed"
  | "forbidden" // not theirs to decide, or nobody knows who they are
  | "already_voted" // they have approved it, and others have to
  | "ambiguous"
  | "not_pending";

export interface Fault {
  /** Where in what was sent, as `args.path`; empty for the whole of it. */
  path: string;
  message: string;
}

/** Why the desk did not take what it was given. Nothing was changed but by the clock, where time was up. */
export class DeskError extends Error {
  readonly code: DeskErrorCode;
  /** How the approval stands, where there is one. */
  readonly approval: Approval | undefined;
  readonly errors: Fault[];
  /** The approvals that could have been meant, with `ambiguous`. */
  readonly pending: string[];

  constructor(
    code: DeskErrorCode,
    message: string,
    details: { approval?: Approval; errors?: Fault[]; pending?: string[] } = {},
  ) {
    super(message);
    this.name = "DeskError";
    this.code = code;
    this.approval = details.approval;
    this.errors = details.errors ?? [];
    this.pending = details.pending ?? [];
  }

  /** The same with its approval as `show` shows it. */
  showing(show: (approval: Approval) => Approval): DeskError {
    const { code, message, approval, errors, pending } = this;
    return approval === undefined
      ? this
      : new DeskError(code, message, { approval: show(approval), errors, pending });
  }
}
