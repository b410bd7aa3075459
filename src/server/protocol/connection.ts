import { randomUUID } from "node:crypto";
import { assertShallow } from "../guards/body-depth.ts";
import { ServerError } from "../problem.ts";
import { Command, read, refusal, type CommandResponse, type ErrorResponse } from "./command.ts";
import type { Entry } from "./event.ts";
import { Filter, fits } from "./filter.ts";
import { obey } from "./obey.ts";
import { admitGuest } from "./guests.ts";
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
const NOT_ALLOWED = 1008;

/**
 * How long a new subscription waits for others to come with it, in milliseconds. A client that comes back subscribes
 * to all it had at once, and takes what it hears for told in order: to hear by one subscription that a run has ended
 * keeps it from reading by the next what the run did.
 */
const TOGETHER_MS = 10;

/** One client on a socket: its commands, and the events that it has subscribed to. */
export class Connection {
  readonly #place: Place;
  readonly #wire: Wire;
  readonly #held: Held;
  readonly #stop: () => void;
  readonly #leave: () => void;
  readonly #filters = new Map<string, Filter>();
  /** Subscriptions that have not yet been told what there was before them. */
  #fresh: Filter[] = [];
  /** What has come since the first of these. */
  #late: Entry[] = [];
  #soon: NodeJS.Timeout | undefined;

  constructor(place: Place, wire: Wire) {
    this.#place = place;
    this.#wire = wire;
    this.#held = attach(place.parts, place.sessions, place.thread_id);
    this.#stop = this.#held.session.log.listen((entry) => this.#hear(entry));
    this.#leave = admitGuest(place, this.#held.session, () => {
      this.close();
      wire.close(NOT_ALLOWED, "not allowed");
    });
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
    this.#leave();
    clearTimeout(this.#soon);
    this.#held.release();
    this.#filters.clear();
  }

  /** Answers first, since the client knows its subscription only then, and soon sends what there is for it. */
  #subscribe({ id, params }: Command): void {
    const { session } = this.#held;
    try {
      const filter = read(Filter, params);
      const subscription_id = randomUUID();
      const replayed = session.log.all().filter((entry) => fits(entry, filter));
      this.#fresh.push(filter);
      this.#soon ??= setTimeout(() => this.#replay(), TOGETHER_MS);
      this.#filters.set(subscription_id, filter);
      this.#send(this.#success(id, { subscription_id, replayed_events: replayed.length }));
    } catch (error) {
      this.#send(refusal(id, error));
    }
  }

  /** Tells the new subscriptions what there was, and all of them what has come meanwhile, each event once and in order. */
  #replay(): void {
    const late = this.#late;
    const missed = this.#held.session.log
      .all()
      .filter((entry) => !late.includes(entry) && this.#fresh.some((filter) => fits(entry, filter)));
    this.#fresh = [];
    this.#late = [];
    this.#soon = undefined;
    for (const { json } of missed) this.#wire.send(json);
    for (const entry of late) this.#hear(entry);
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
    if (this.#soon !== undefined) {
      this.#late.push(entry);
      return;
    }
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
