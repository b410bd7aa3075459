import type { Principal } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import type { StreamMode } from "../runs/stream-modes.ts";
import type { Sessions } from "./sessions.ts";

/** Where a command of the protocol is carried out. */
export interface Place {
  parts: ServerParts;
  sessions: Sessions;
  thread_id: string;
  /** Who sends the commands. */
  by: Principal;
}

/** What clients of the older protocol can see of a run that is begun here. */
export const SHOWN: StreamMode[] = ["values"];
