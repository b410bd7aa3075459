import { HTTPException } from "hono/http-exception";
import { randomBytes } from "node:crypto";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { DeskError, type DeskErrorCode, type Fault } from "../desk/index.ts";
import { LedgerError, maskApproval, type LedgerErrorCode } from "../ledger/index.ts";
import { PolicyError } from "../policy/index.ts";

/** Codes of what this room itself refuses, with the status each has. */
const OWN = {
  invalid_request: 422,
  not_supported: 422,
  idempotency_mismatch: 422,
  invalid_json: 400,
  unsupported_media_type: 415,
  upgrade_required: 426,
  request_timeout: 408,
  body_too_large: 413,
  url_too_long: 414,
  unauthorized: 401,
  too_many_failures: 429,
  identity_unavailable: 503,
  forbidden: 403,
  forbidden_host: 403,
  forbidden_origin: 403,
  not_found: 404,
  thread_not_found: 404,
  checkpoint_not_found: 404,
  graph_not_found: 404,
  run_not_found: 404,
  assistant_not_found: 404,
  version_not_found: 404,
  method_not_allowed: 405,
  approval_pending: 409,
  thread_busy: 409,
  run_live: 409,
  thread_exists: 409,
  graph_mismatch: 409,
  assistant_exists: 409,
  system_assistant: 409,
  old_checkpoint: 409,
  unreadable_state: 409,
  thread_lost: 409,
  headers_too_large: 431,
  too_many_streams: 409,
  too_many_decisions: 409,
  stopping: 503,
  too_many_readers: 503,
  not_ready: 503,
  internal: 500,
} as const satisfies Record<string, ContentfulStatusCode>;
export type ServerErrorCode = keyof typeof OWN;

const DESK: Record<DeskErrorCode, ContentfulStatusCode> = {
  unknown_approval: 404,
  unknown_grant: 404,
  already_decided: 409,
  expired: 410,
  cancelled: 410,
  erased: 410,
  invalid_decision: 422,
  digest_changed: 409,
  forbidden: 403,
  already_voted: 409,
  ambiguous: 409,
  not_pending: 409,
};

const LEDGER: Record<LedgerErrorCode, ContentfulStatusCode> = {
  bad_cursor: 422,
  bad_url: 500,
  newer_schema: 500,
  newer_event: 500,
  tampered: 500,
  unwritable: 503,
  closed: 503,
};

/** A request that this room refuses. `details` are further members of the problem document. */
export class ServerError extends Error {
  readonly code: ServerErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ServerErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.name = "ServerError";
    this.code = code;
    this.details = details;
  }
}

/** A problem document of RFC 9457. `code` is stable; `detail` is for people. */
export interface Problem {
  type: "about:blank";
  title: string;
  status: ContentfulStatusCode;
  code: string;
  detail: string;
  errors?: Fault[];
  [member: string]: unknown;
}

/** The problem document of any error. What nobody foresaw is `internal`, and says nothing of the inside. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ServerError) return problem(OWN[error.code], error.code, error.message, error.details);
  if (error instanceof DeskError) {
    const { code, message, approval, errors, pending } = error;
    const details = {
      ...(errors.length > 0 && { errors }),
      ...(pending.length > 0 && { pending }),
      ...(approval && { approval: maskApproval(approval) }),
    };
    return problem(DESK[code], code, message, details);
  }
  if (error instanceof PolicyError) return problem(422, error.code, error.message, { errors: error.errors });
  if (error instanceof LedgerError) {
    const status = LEDGER[error.code];
    const message = status === 422 ? error.message : "The store cannot serve this now. See the server's log.";
    return problem(status, error.code, message);
  }
  if (error instanceof HTTPException && error.status === 400)
    return problem(400, "invalid_json", "The body is no valid JSON.");
  return problem(500, "internal", "Something went wrong inside the server. See its log.");
}

/**
 * Answers errors with problem documents, and tells `onError` of those that are the server's own, under an id that the
 * client is given, too.
 */
export function answerError(
  onError: (error: unknown, about: { error_id: string }) => void,
): (error: unknown) => Response {
  return (error) => {
    const found = problemOf(error);
    if (typeof found["retry_after"] === "number")
      return problemResponse(found, { "retry-after": String(found["retry_after"]) });
    // What this room refuses for now, such as while it stops, is no fault.
    if (found.status < 500 || error instanceof ServerError) return problemResponse(found);
    const error_id = `err_${randomBytes(6).toString("hex")}`;
    onError(error, { error_id });
    return problemResponse({ ...found, error_id });
  };
}

/** A problem document as a response. */
export function problemResponse(found: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(found), {
    status: found.status,
    headers: {
      "content-type": "application/problem+json",
      ...(found.status === 401 && { "www-authenticate": "Bearer" }),
      ...headers,
    },
  });
}

/** The faults that a schema found, by path. */
export function faultsOf(issues: readonly { path: PropertyKey[]; message: string }[]): Fault[] {
  return issues.slice(0, 50).map(({ path, message }) => ({ path: path.map(String).join("."), message }));
}

function problem(
  status: ContentfulStatusCode,
  code: string,
  detail: string,
  details: Record<string, unknown> = {},
): Problem {
  const title = code.replaceAll("_", " ");
  return {
    ...details,
    type: "about:blank",
    title: title.charAt(0).toUpperCase() + title.slice(1),
    status,
    code,
    detail,
  };
}
