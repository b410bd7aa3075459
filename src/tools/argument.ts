/** A text argument of a call that is only to be described: what is no text is shown as a question mark. */
export function argument(args: Record<string, unknown>, name: string, absent = "?"): string {
  const value = args[name] ?? absent;
  return typeof value === "string" ? value : "?";
}

/** The signal that ends the run a tool works in, if there is one. */
export function signalOf(config: { signal?: unknown }): AbortSignal | undefined {
  return config.signal instanceof AbortSignal ? config.signal : undefined;
}
