/** A deep copy of what was read from JSON. Much faster than `structuredClone`, which can do more. */
export function copyJson<Value>(value: Value): Value {
  // A copy of JSON has the type of what it is a copy of.
  return copy(value) as Value;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const copied: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const inner = copy((value as Record<string, unknown>)[name]);
    if (name === "__proto__") Object.defineProperty(copied, name, { ...OWN, value: inner });
    else copied[name] = inner;
  }
  return copied;
}

// Assigning to this one name would change what the copy inherits.
const OWN = { configurable: true, enumerable: true, writable: true };
