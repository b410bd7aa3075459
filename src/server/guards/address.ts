import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";

/** The address that a request came from; `null` for one that came over no network. What a header says counts for nothing. */
export function addressOf(c: Context): string | null {
  try {
    return getConnInfo(c).remote.address ?? null;
  } catch {
    return null;
  }
}
