import { z } from "zod";
import type { Order } from "./order.ts";
import { StreamMode } from "./stream-modes.ts";

/** What a client wants to see of a run, and where it shall pause. */
export const RunWishes = z.object({
  /** What its stream shows; none: nobody reads it. */
  modes: z.array(StreamMode),
  subgraphs: z.boolean().optional(),
  interruptBefore: z.unknown().optional(),
  interruptAfter: z.unknown().optional(),
});
export type RunWishes = z.infer<typeof RunWishes>;

/** What a run begins with, as its client asked for it. */
export const Beginning = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("input"), input: z.unknown() }),
  /** LangGraph's `goto` and `update`, on a thread where nothing is open. */
  z.object({ kind: z.literal("command"), goto: z.unknown().optional(), update: z.unknown().optional() }),
  /** The decisions that the ledger holds. */
  z.object({ kind: z.literal("answers") }),
]);
export type Beginning = z.infer<typeof Beginning>;

/** What is kept of a run so that it can begin later, or again after a crash. */
export const StoredRun = z.object({
  beginning: Beginning,
  order: z.custom<Order>((value) => typeof value === "object" && value !== null),
  wishes: RunWishes,
  /** The checkpoint that it goes out from, when that is not the newest one. */
  checkpoint_id: z.string().optional(),
  /** Its thread goes with its end. */
  isTemporary: z.boolean().optional(),
});
export type StoredRun = z.infer<typeof StoredRun>;

export function readStoredRun(kwargs_json: string | null): StoredRun | null {
  return kwargs_json === null ? null : StoredRun.parse(JSON.parse(kwargs_json));
}
