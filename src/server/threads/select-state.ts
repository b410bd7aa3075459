import type { ThreadStateView } from "./thread-state.ts";

/** The wanted fields of a state; `values.<key>` is one key of its values. */
export function selectState(
  view: ThreadStateView,
  select: readonly string[] | null | undefined,
): Partial<ThreadStateView> {
  if (!select || select.length === 0) return view;
  const keys = select.filter((field) => field.startsWith("values.")).map((field) => field.slice(7));
  const entries = Object.entries(view).filter(([field]) => select.includes(field));
  if (keys.length === 0 || select.includes("values")) return Object.fromEntries(entries);
  const values = Object.entries(view.values ?? {}).filter(([key]) => keys.includes(key));
  return { ...Object.fromEntries(entries), values: Object.fromEntries(values) };
}
