/** Why a server does not start. The message is one line that names the file or the setting, and the fix. */
export class StartError extends Error {
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: ErrorOptions) {
    super(message.replace(/\s*\n\s*/g, " "), options);
    this.name = "StartError";
    this.code = code;
  }
}

export type StartErrorCode =
  | "bad_config" // langgraph.json is missing, no JSON, or of another shape
  | "graph_load_failed"
  | "invalid_policy"
  | "bad_store"
  | "store_in_use" // somebody has the file open
  | "store_damaged"
  | "file_exists"
  | "process_lost"
  | "bad_address"
  | "bad_origin"
  | "bad_notice" // a target of notices that cannot be meant or may not be reached
  | "bad_public_url"
  | "bad_limit"
  | "bad_identity"
  | "identity_required" // others can reach the server, and nobody could say who they are
  | "port_in_use";
