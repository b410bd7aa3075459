import type { Role } from "./principal.ts";

/** Who may use a route. An admin may use all of them. */
export interface Access {
  /** Those who may, whosever thread it is about. */
  any: readonly Role[];
  /** Those who may where the thread is their own. A list shows them what is of their own threads. */
  own: readonly Role[];
}

const READ: Access = { any: ["viewer", "reviewer"], own: ["requester"] };
const READ_ALL: Access = { any: ["viewer", "reviewer"], own: [] };
const ANYONE: Access = { any: ["viewer", "requester", "reviewer"], own: [] };
const DECIDE: Access = { any: ["reviewer"], own: [] };
const WITHDRAW: Access = { any: ["reviewer"], own: ["requester"] };
/** To lift what was tightened is a reviewer's. */
const TIGHTEN: Access = { any: ["reviewer"], own: ["requester"] };
const BEGIN: Access = { any: ["requester"], own: [] };
const OWN: Access = { any: [], own: ["requester"] };
/** What the body asks for says which of them: an input is for the thread's owner, an answer for a reviewer. See `may.ts`. */
const BEGIN_OR_ANSWER: Access = { any: ["reviewer"], own: ["requester"] };
export const ADMIN: Access = { any: [], own: [] };

/** Routes for which nobody has to say who they are. */
export const OPEN: ReadonlySet<string> = new Set(["GET /ok", "GET /info", "GET /openapi.json", "GET /docs"]);

/** Each route of the server, and who may use it. One that is not here is an admin's alone. */
export const ACCESS: Readonly<Record<string, Access>> = {
  "GET /approvals": READ,
  "GET /approvals/:approval_id": READ,
  "DELETE /approvals/:approval_id": WITHDRAW,
  "POST /approvals/:approval_id/shown": DECIDE,
  "POST /approvals/:approval_id/decision": DECIDE,
  "POST /approvals/decisions": DECIDE,
  "POST /threads/:thread_id/approvals/:tool_call_id": DECIDE,

  "GET /grants": READ_ALL,
  "DELETE /grants/:grant_id": DECIDE,

  "GET /fatigue": READ_ALL,
  "GET /events": READ,
  "GET /audit": READ,
  "GET /audit/verify": READ_ALL,
  "GET /metrics": READ_ALL,
  "GET /policies": ANYONE,
  "GET /policies/schema": ANYONE,
  // With a `thread_id`, of a thread that they see.
  "POST /policies/check": ANYONE,

  "POST /threads": BEGIN,
  "POST /threads/search": READ,
  "POST /threads/count": READ,
  "POST /threads/prune": ADMIN,
  "GET /threads/:thread_id": READ,
  "PATCH /threads/:thread_id": OWN,
  "DELETE /threads/:thread_id": OWN,
  "POST /threads/:thread_id/copy": OWN,
  "GET /threads/:thread_id/mode": READ,
  "PUT /threads/:thread_id/mode": TIGHTEN,
  "GET /threads/:thread_id/state": READ,
  "GET /threads/:thread_id/state/:checkpoint_id": READ,
  "POST /threads/:thread_id/state/checkpoint": READ,
  "GET /threads/:thread_id/history": READ,
  "POST /threads/:thread_id/history": READ,
  // Marking as resolved ends questions, so it is a reviewer's; any other write is the owner's.
  "POST /threads/:thread_id/state": BEGIN_OR_ANSWER,
  "PATCH /threads/:thread_id/state": OWN,

  "POST /threads/:thread_id/runs": BEGIN_OR_ANSWER,
  "POST /threads/:thread_id/runs/wait": BEGIN_OR_ANSWER,
  "POST /threads/:thread_id/runs/stream": BEGIN_OR_ANSWER,
  "POST /runs": BEGIN,
  "POST /runs/batch": BEGIN,
  "POST /runs/wait": BEGIN,
  "POST /runs/stream": BEGIN,
  "GET /threads/:thread_id/runs": READ,
  "GET /threads/:thread_id/runs/:run_id": READ,
  "GET /threads/:thread_id/runs/:run_id/join": READ,
  "GET /threads/:thread_id/runs/:run_id/stream": READ,
  "GET /runs/:run_id/stream": READ,
  "DELETE /threads/:thread_id/runs/:run_id": OWN,
  "POST /threads/:thread_id/runs/:run_id/cancel": OWN,
  "POST /runs/cancel": OWN,

  "GET /threads/:thread_id/stream": READ,
  "GET /threads/:thread_id/stream/events": READ,
  "POST /threads/:thread_id/stream/events": READ,
  // Some commands read, and some begin or answer.
  "POST /threads/:thread_id/commands": READ,

  "POST /assistants": ADMIN,
  "POST /assistants/search": ANYONE,
  "POST /assistants/count": ANYONE,
  "GET /assistants/:assistant_id": ANYONE,
  "PATCH /assistants/:assistant_id": ADMIN,
  "DELETE /assistants/:assistant_id": ADMIN,
  "POST /assistants/:assistant_id/versions": ANYONE,
  "POST /assistants/:assistant_id/latest": ADMIN,
  "GET /assistants/:assistant_id/graph": ANYONE,
  "GET /assistants/:assistant_id/schemas": ANYONE,
  "GET /assistants/:assistant_id/subgraphs": ANYONE,
  "GET /assistants/:assistant_id/subgraphs/:namespace": ANYONE,

  // Graphs may keep there what they know of anybody.
  "GET /store/items": READ_ALL,
  "POST /store/items/search": READ_ALL,
  "POST /store/namespaces": READ_ALL,
  "PUT /store/items": ADMIN,
  "DELETE /store/items": ADMIN,

  // There are none: each is told so.
  "POST /runs/crons": ANYONE,
  "POST /runs/crons/search": ANYONE,
  "POST /runs/crons/count": ANYONE,
  "GET /runs/crons/:cron_id": ANYONE,
  "PATCH /runs/crons/:cron_id": ANYONE,
  "DELETE /runs/crons/:cron_id": ANYONE,
  "POST /threads/:thread_id/runs/crons": ANYONE,
};
