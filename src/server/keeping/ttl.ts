import { z } from "@hono/zod-openapi";
import type { ThreadRow } from "../database/tables.ts";

/** Ten years, in minutes. */
const MOST = 5_256_000;

/** How long, in minutes. */
export const Minutes = z.number().positive().max(MOST);

/** What happens to a thread whose time to live is over: it goes, or all but its newest state does. */
export const Strategy = z.enum(["delete", "keep_latest"]);

/** How long a thread is kept after something happened on it last, as clients say it. */
export const Ttl = z
  .union([
    Minutes,
    z.looseObject({
      ttl: Minutes.describe("Minutes, counted from whatever happened on the thread last."),
      strategy: Strategy.nullish().describe("Default: `delete`."),
    }),
  ])
  .meta({ id: "Ttl" });
export type Ttl = z.infer<typeof Ttl>;

/** A time to live as threads show it. */
export const TtlView = z
  .object({ strategy: Strategy, ttl_minutes: z.number(), expires_at: z.string() })
  .meta({ id: "TtlView" });
export type TtlView = z.infer<typeof TtlView>;

const Stored = z.object({
  minutes: z.number(),
  strategy: Strategy,
  /** How the thread stood when all but its newest state went: with nothing new, there is nothing to do. */
  pruned: z.string().optional(),
});
type Stored = z.infer<typeof Stored>;

type Kept = Pick<ThreadRow, "ttl_json" | "expires_at">;

/** The columns of a thread that say how long it is kept. `null`: until somebody deletes it. */
export function keptFor(ttl: Ttl | null, now: number): Kept {
  if (ttl === null) return { ttl_json: null, expires_at: null };
  const { ttl: minutes, strategy } = typeof ttl === "number" ? { ttl, strategy: null } : ttl;
  return stored({ minutes, strategy: strategy ?? "delete" }, now);
}

/** The same, looked at again after one more time to live. */
export function keptOn(ttl: Stored, now: number): Kept {
  return stored(ttl, now);
}

function stored(ttl: Stored, from: number): Kept {
  return {
    ttl_json: JSON.stringify(ttl),
    expires_at: new Date(from + ttl.minutes * 60_000).toISOString(),
  };
}

/** How long a thread is kept, and when that is over if nothing happens on it any more. */
export function ttlOf({
  ttl_json,
  updated_at,
}: Pick<ThreadRow, "ttl_json" | "updated_at">): (Stored & { ends: number }) | null {
  if (ttl_json === null) return null;
  const ttl = Stored.parse(JSON.parse(ttl_json));
  return { ...ttl, ends: Date.parse(updated_at) + ttl.minutes * 60_000 };
}

/** The time to live of a thread as clients see it. */
export function viewTtl(row: Pick<ThreadRow, "ttl_json" | "updated_at">): TtlView | null {
  const ttl = ttlOf(row);
  if (ttl === null) return null;
  const { strategy, minutes, ends } = ttl;
  return { strategy, ttl_minutes: minutes, expires_at: new Date(ends).toISOString() };
}
