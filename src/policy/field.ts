/** What stands at a dot path of a call's arguments. */
export type Reading =
  | { kind: "value"; value: unknown }
  | { kind: "absent" }
  | { kind: "undeclared" }
  /** A getter, a value that throws when looked at: something that cannot be read as data. */
  | { kind: "unreadable" };

/** The arguments of a call and what is known of them. */
export interface Arguments {
  value: unknown;
  /** Whether these are the arguments that reach the tool, not only those the model wrote. */
  reachTool: boolean;
  fields: readonly string[] | undefined;
  paths: Record<string, string | null> | undefined;
}

/**
 * Reads a dot path. Only own data properties count: nothing inherited, no getter is called; in a list only its
 * entries can be named.
 */
export function readField(args: Arguments, path: readonly string[]): Reading {
  try {
    return read(args, path);
  } catch {
    return { kind: "unreadable" };
  }
}

/** Whether a field stands in the schema; undefined when the schema is not known. */
export function isDeclared(args: Arguments, path: readonly string[]): boolean | undefined {
  return args.fields === undefined ? undefined : args.fields.includes(path[0] ?? "");
}

function read(args: Arguments, path: readonly string[]): Reading {
  if (isDeclared(args, path) === false && !args.reachTool) return { kind: "undeclared" };
  let value: unknown = args.value;
  if (typeof value !== "object" || value === null) return { kind: "unreadable" };
  for (const key of path) {
    if (typeof value !== "object" || value === null) return missing(args, path);
    if (Array.isArray(value) && !/^(0|[1-9][0-9]*)$/.test(key)) return missing(args, path);
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined) return missing(args, path);
    if (!("value" in property)) return { kind: "unreadable" };
    value = property.value;
  }
  return value === undefined ? missing(args, path) : { kind: "value", value };
}

function missing(args: Arguments, path: readonly string[]): Reading {
  return { kind: isDeclared(args, path) === false ? "undeclared" : "absent" };
}
