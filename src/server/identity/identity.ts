import type { Context } from "hono";
import { addressOf } from "../guards/address.ts";
import { ServerError } from "../problem.ts";
import { shownIn, type Credential } from "./credential.ts";
import { Failures } from "./failures.ts";
import type { JwtReader } from "./jwt.ts";
import { isLoopback } from "./loopback.ts";
import { ANYBODY } from "./principal.ts";
import { looksLikeToken } from "./token-text.ts";
import type { Tokens } from "./tokens.ts";

/** For how long nobody looks again whether there are tokens by now, and how often open streams are looked at. */
const UNASKED_MS = 500;
const LOOK_MS = 1_000;

/** What somebody watches: their credential, and what happens when it holds no more. */
interface Watch {
  credential: Credential;
  onEnd: () => void;
}

/** Finds out who sends a request. */
export class Identity {
  readonly #tokens: Tokens;
  readonly #jwt: JwtReader | null;
  readonly #clock: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #failures = new Failures();
  readonly #watches = new Set<Watch>();
  #timer: NodeJS.Timeout | undefined;
  #isNeeded: boolean;
  #lookedAt = -Infinity;

  constructor(given: {
    tokens: Tokens;
    jwt: JwtReader | null;
    host: string;
    clock: () => number;
    onError: (error: unknown) => void;
  }) {
    this.#tokens = given.tokens;
    this.#jwt = given.jwt;
    this.#clock = given.clock;
    this.#onError = given.onError;
    this.#isNeeded = given.jwt !== null || !isLoopback(given.host);
  }

  /** Whether who sends a request must say who they are. Once that is so it stays so. */
  async isNeeded(): Promise<boolean> {
    const now = performance.now();
    if (this.#isNeeded || now - this.#lookedAt < UNASKED_MS) return this.#isNeeded;
    this.#lookedAt = now;
    this.#isNeeded = await this.#tokens.hasAny();
    return this.#isNeeded;
  }

  /** @throws {ServerError} `unauthorized`, `too_many_failures`, `identity_unavailable` */
  async admit(c: Context): Promise<Credential> {
    if (!(await this.isNeeded()))
      return { principal: ANYBODY, key: "anybody", holds: async () => !(await this.isNeeded()) };
    const shown = shownIn(c);
    if (shown === null) {
      const message = 'Say who you are: send a token as "Authorization: Bearer" or as "x-api-key".';
      throw new ServerError("unauthorized", message);
    }
    const credential = shown === "bad" ? null : await this.#read(shown.text);
    if (credential !== null) return credential;
    const seconds = this.#failures.add(addressOf(c) ?? "");
    if (seconds !== null) {
      const message = `Too many credentials from your address were no good. Send a good one, or wait ${seconds} s.`;
      throw new ServerError("too_many_failures", message, { retry_after: seconds });
    }
    const message =
      "Your credential is no good: it is unknown, wrongly sent, or has expired or was revoked. Get a new one.";
    throw new ServerError("unauthorized", message);
  }

  /** Calls `onEnd` once a credential holds no more. Returns what ends that. */
  watch(credential: Credential, onEnd: () => void): () => void {
    const watch = { credential, onEnd };
    this.#watches.add(watch);
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_MS).unref();
    return () => void this.#watches.delete(watch);
  }

  async #read(text: string): Promise<Credential | null> {
    if (looksLikeToken(text)) {
      const found = await this.#tokens.holderOf(text);
      if (found === null) return null;
      const { principal, token_id } = found;
      return { principal, key: token_id, holds: () => this.#tokens.isValid(token_id) };
    }
    const found = (await this.#jwt?.holderOf(text)) ?? null;
    if (found === null) return null;
    const { principal, until } = found;
    return { principal, key: `jwt ${until}`, holds: () => Promise.resolve(this.#clock() < until) };
  }

  async #look(): Promise<void> {
    const seen = new Map<string, Promise<boolean>>();
    for (const watch of [...this.#watches]) {
      const { key, holds } = watch.credential;
      const holding = seen.get(key) ?? holds();
      seen.set(key, holding);
      try {
        if (await holding) continue;
      } catch (error) {
        // A store that does not answer now says nothing of a credential; it is asked again.
        this.#onError(error);
        break;
      }
      this.#watches.delete(watch);
      watch.onEnd();
    }
    this.#timer = undefined;
    if (this.#watches.size > 0) this.#timer = setTimeout(() => void this.#look(), LOOK_MS).unref();
  }
}
