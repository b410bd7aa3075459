import { visible, visibleProse } from "../../policy/visible.ts";

type Fields = Record<string, unknown>;
type Hide = (text: string) => string;

/** The fields of a log line with everything hidden in their texts as its escape, and without secrets. */
export function shownFields(fields: Fields, hide: Hide): Fields {
  const entries = Object.entries(fields).map(([key, value]): [string, unknown] => [
    key,
    typeof value === "string"
      ? visible(hide(value))
      : value instanceof Error
        ? shownError(value, hide)
        : value,
  ]);
  return Object.fromEntries(entries);
}

/** An error as a log may have it: itself where nothing in it is to be hidden, else what is left of it. */
function shownError(error: Error, hide: Hide): Error {
  const show = (text: string): string => visibleProse(hide(text));
  const { name, message, stack, cause } = error;
  const shownCause = cause instanceof Error ? shownError(cause, hide) : cause;
  const isPlain = show(message) === message && (stack === undefined || hide(stack) === stack);
  if (isPlain && shownCause === cause) return error;
  const shown = new Error(show(message), shownCause === undefined ? undefined : { cause: shownCause });
  shown.name = name;
  if (stack !== undefined) shown.stack = show(stack);
  return "code" in error ? Object.assign(shown, { code: error.code }) : shown;
}
