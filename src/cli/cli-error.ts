/** What went wrong, in the shape of the server's problem documents. */
export interface Problem {
  title?: string;
  status?: number;
  code: string;
  detail: string;
  errors?: { path: string; message: string }[];
  [more: string]: unknown;
}

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** A mistake or a refusal that a person is told of in one line, without a stack. */
export class CliError extends Error {
  readonly problem: Problem;
  readonly exitCode: number;

  constructor(problem: Problem, options: { exitCode?: number; cause?: unknown } = {}) {
    super(problem.detail, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "CliError";
    this.problem = problem;
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** A command line that cannot be meant: exit code 2. */
export function usageError(detail: string): CliError {
  return new CliError({ title: "Usage", code: "usage", detail }, { exitCode: EXIT.usage });
}
