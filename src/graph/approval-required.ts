/** A run in the mode `fail_closed` made calls that need an approval. They were answered and not run. */
export class ApprovalRequiredError extends Error {
  readonly code = "approval_required";
  /** The tools that were called. */
  readonly tools: readonly string[];

  constructor(tools: readonly string[]) {
    const names = [...new Set(tools)].map((name) => `"${name}"`).join(", ");
    super(
      `This run has nobody to ask and ${names} needs an approval. Nothing was done. Relax the policy or run it where somebody can answer.`,
    );
    this.name = "ApprovalRequiredError";
    this.tools = tools;
  }
}
