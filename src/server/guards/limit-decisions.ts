import type { Context, MiddlewareHandler } from "hono";
import { principalOf, type Principal } from "../identity/principal.ts";
import { ServerError } from "../problem.ts";
import { addressOf } from "./address.ts";
import type { Limits } from "./limits.ts";
import { Rate } from "./rate.ts";

/** Who is counted: whoever the credential names, else the address, else everybody together. */
export function clientOf(c: Context): string {
  return nameOf(principalOf(c)) ?? `address ${addressOf(c) ?? "none"}`;
}

function nameOf({ id }: Principal): string | null {
  return id === null ? null : `principal ${id}`;
}

/** Counts the decisions of each client, by whichever route they come. */
export class DecisionLimit {
  readonly #rate: Rate;
  readonly #perMinute: number;

  constructor({ decisionsPerMinute }: Limits) {
    this.#perMinute = decisionsPerMinute;
    this.#rate = new Rate(decisionsPerMinute);
  }

  /** For the routes that decide. */
  readonly guard: MiddlewareHandler = async (c, next) => {
    const isDeciding =
      c.req.method === "DELETE" || (c.req.method === "POST" && !c.req.path.endsWith("/shown"));
    if (isDeciding) this.#take(clientOf(c));
    return next();
  };

  /** For answers that come with a run. @throws {ServerError} `too_many_decisions` */
  take(by: Principal): void {
    this.#take(nameOf(by) ?? "anybody");
  }

  #take(client: string): void {
    const seconds = this.#rate.take(client);
    if (seconds === null) return;
    const message = `More than ${this.#perMinute} decisions in a minute. Nothing was decided; send again in ${seconds} s.`;
    throw new ServerError("too_many_decisions", message, { retry_after: seconds });
  }
}
