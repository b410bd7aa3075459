import { faultsOf, ServerError } from "../problem.ts";

/** What a schema says of a part of a request. */
export interface Validated {
  success: boolean;
  /** `json`, `query`, `param` or `header`. */
  target: string;
  error?: unknown;
}

/** Refuses a request whose parts do not fit. @throws {ServerError} `invalid_request`, naming the first fault. */
export function refuseInvalid(result: Validated): undefined {
  if (result.success) return undefined;
  const { issues } = result.error as { issues: { path: PropertyKey[]; message: string }[] };
  const errors = faultsOf(issues);
  const [first] = errors;
  const where =
    first && first.path !== "" ? ` "${first.path}": ${first.message}.` : ` ${first?.message ?? ""}.`;
  throw new ServerError("invalid_request", `The request is not valid.${where}`, { errors });
}
