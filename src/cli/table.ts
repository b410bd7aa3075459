import { clip, COLUMNS, widthOf } from "./wrap.ts";

/** Lines of a table: a row of headings and the rows, two spaces between columns, cut at the edge of the screen. */
export function table(headings: string[], rows: string[][]): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(widthOf(heading), ...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  return [headings, ...rows].map((row) =>
    clip(row.map((cell, column) => pad(cell, widths[column] ?? 0)).join("  "), COLUMNS).trimEnd(),
  );
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - widthOf(cell)));
}
