/** Whether a JSON value holds all that is wanted: objects key by key, everything else as it is. */
export function matches(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return JSON.stringify(value) === JSON.stringify(wanted);
  return isObject(value) && Object.entries(wanted).every(([key, one]) => matches(value[key], one));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
