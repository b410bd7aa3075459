/** What went wrong with a model, as a stable word. */
export type ModelErrorCode =
  "model_unknown" | "model_package_missing" | "model_key_missing" | "script_exhausted" | "history_refused";

/** A model that cannot be loaded, or that refuses what it was shown. The message is one line. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;

  constructor(code: ModelErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
