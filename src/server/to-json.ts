/**
 * Writes a value of a graph as JSON: messages as plain objects with their `type`, as LangGraph's clients read them, and
 * errors by name and message.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, replace) ?? "null";
}

/** The same as a value. */
export function toPlain(value: unknown): unknown {
  return JSON.parse(toJson(value));
}

/** An error as the LangGraph API tells of it. */
export function errorData(error: unknown): { error: string; message: string } {
  if (error instanceof Error) return { error: error.name, message: error.message };
  return { error: "Error", message: String(error) };
}

// JSON.stringify has called toJSON already, so the value is taken from its holder.
function replace(this: unknown, key: string, value: unknown): unknown {
  const raw = (this as Record<string, unknown>)[key];
  if (raw instanceof Error) return errorData(raw);
  if (hasDict(raw)) {
    const { type, data } = raw.toDict();
    return { ...data, type };
  }
  return value;
}

function hasDict(value: unknown): value is { toDict: () => { type: string; data: object } } {
  return (
    typeof value === "object" && value !== null && "toDict" in value && typeof value.toDict === "function"
  );
}
