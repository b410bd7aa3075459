import { randomUUID } from "node:crypto";
import { assertShallow } from "../guards/body-depth.ts";
import { ServerError } from "../problem.ts";
import { Command, read, refusal, type CommandResponse, type ErrorResponse } from "./command.ts";
import type { Entry } from "./event.ts";
import { Filter, fits } from "./filter.ts";
import { obey } from "./obey.ts";
import type { Place } from "./place.ts";
import { attach } from "./standing.ts";
import type { Held } from "./sessions.ts";

/** What a connection needs of its socket. */
export interface Wire {
  send(text: string): void;
  /** How many bytes wait to be taken by the client. */
  readonly waiting: number;
  close(code: number, reason: string): void;
}

/** A client that takes nothing is let go when so many bytes wait for it. It reads the newest again when it comes back. */
const MAX_WAITING = 16 * 1024 * 1024;
const TOO_SLOW = 1013;

/** One client on a socket: its commands, and the events that it has subscribed to. */
export class Connection {
  readonly #place: Place;
  readonly #wire: Wire;
  readonly #held: Held;
  readonly #stop: () => void;
  readonly #filters = new Map<string, Filter>();

  constructor(place: Place, wire: Wire) {
    this.#place = place;
    this.#wire = wire;
    this.#held = attach(place.parts, place.sessions, place.thread_id);
    this.#stop = this.#held.session.log.listen((entry) => this.#hear(entry));
  }

  /** Takes a message of the client and answers it. */
  async take(text: string): Promise<void> {
    const { command, refused } = readCommand(text);
    if (command === null) return this.#send(refused);
    if (command.method === "subscription.subscribe") return this.#subscribe(command);
    if (command.method === "subscription.unsubscribe") return this.#send(this.#unsubscribe(command));
    this.#send(await obey(this.#place, command));
  }

  close(): void {
    this.#stop();
    this.#held.release();
    this.#filters.clear();
  }

  /** Answers first, since the client knows its subscription only then, and sends at once what there is for it. */
  #subscribe({ id, params }: Command): void {
    const { session } = this.#held;
    try {
      const filter = read(Filter, params);
      const subscription_id = randomUUID();
      const replayed = session.log.all().filter((entry) => fits(entry, filter));
      this.#filters.set(subscription_id, filter);
      this.#send(this.#success(id, { subscription_id, replayed_events: replayed.length }));
      for (const { json } of replayed) this.#wire.send(json);
    } catch (error) {
      this.#send(refusal(id, error));
    }
  }

  #unsubscribe({ id, params }: Command): CommandResponse {
    const subscription_id = String(params?.["subscription_id"]);
    if (this.#filters.delete(subscription_id)) return this.#success(id, {});
    const message = `There is no subscription "${subscription_id.slice(0, 80)}" on this connection.`;
    return refusal(id, new ServerError("not_found", message), "no_such_subscription");
  }

  #success(id: number, result: unknown): CommandResponse {
    const { thread_id, seq } = this.#held.session;
    return { type: "success", id, result, meta: { thread_id, applied_through_seq: seq } };
  }

  #hear(entry: Entry): void {
    if (![...this.#filters.values()].some((filter) => fits(entry, filter))) return;
    if (this.#wire.waiting > MAX_WAITING) this.#wire.close(TOO_SLOW, "too slow");
    else this.#wire.send(entry.json);
  }

  #send(response: CommandResponse): void {
    this.#wire.send(JSON.stringify(response));
  }
}

function readCommand(
  text: string,
): { command: Command; refused: null } | { command: null; refused: ErrorResponse } {
  let id: number | null = null;
  try {
    const raw: unknown = parse(text);
    if (typeof raw === "object" && raw !== null && "id" in raw && typeof raw.id === "number") id = raw.id;
    assertShallow(text);
    return { command: read(Command, raw), refused: null };
  } catch (error) {
    return { command: null, refused: refusal(id, error) };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServerError("invalid_json", "The message is no valid JSON.");
  }
}
