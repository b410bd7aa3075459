import { sees } from "../identity/own-threads.ts";
import { seesAll } from "../identity/principal.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";

/**
 * Lets somebody hear a thread that may not be there yet, for as long as it is not somebody else's: `onLeave` is called
 * before they would hear of that. Returns what ends it.
 */
export function admitGuest(
  { parts, thread_id, by }: Place,
  session: Session,
  onLeave: () => void,
): () => void {
  if (seesAll(by)) return () => undefined;
  const ask = async (): Promise<void> => {
    const row = await parts.ports.threads.get(thread_id);
    if (row === undefined || sees(by, row)) return;
    session.guests.delete(ask);
    onLeave();
  };
  session.guests.add(ask);
  return () => void session.guests.delete(ask);
}
