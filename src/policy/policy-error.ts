/** One thing that is wrong with a policy: where, as a path like `rules[2].when.path.within`, and what, in a sentence. */
export interface PolicyProblem {
  path: string;
  message: string;
}

/** A policy or overlay that is refused. `errors` lists everything found; the message is one line and names the first path. */
export class PolicyError extends Error {
  readonly code = "invalid_policy";
  readonly errors: PolicyProblem[];

  constructor(errors: PolicyProblem[], what = "policy") {
    const [first, ...others] = errors;
    const where = first === undefined || first.path === "" ? "" : `${first.path}: `;
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    super(oneLine(`The ${what} is not valid: ${where}${first?.message ?? "no reason given"}${more}`));
    this.name = "PolicyError";
    this.errors = errors;
  }
}

/** `["rules", 2, "when", "a.b"]` as `rules[2].when["a.b"]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const name = String(key);
    if (!/^[\w$-]+$/.test(name)) return `${text}[${JSON.stringify(name.slice(0, 100))}]`;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ");
}
