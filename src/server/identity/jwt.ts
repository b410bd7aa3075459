import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from "jose";
import { isoTime } from "../../desk/index.ts";
import { ServerError } from "../problem.ts";
import { discover } from "./discover.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import type { Principal } from "./principal.ts";
import { rolesIn } from "./tokens.ts";

/** Only keys of which the server needs no secret half. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const TOLERANCE_S = 5;
const TIMEOUT_MS = 5_000;
/** How long a set of keys is kept, and how soon it may be fetched again for a key that it lacks. */
const KEYS_MS = 5 * 60_000;
const COOLDOWN_MS = 2_000;
const LONGEST = 16 * 1024;

/** What a credential must be told apart by: these are its own faults, anything else is a fault of the issuer's. */
const REFUSED = [
  ...[errors.JWTExpired, errors.JWTClaimValidationFailed, errors.JWTInvalid, errors.JWSInvalid],
  ...[errors.JWSSignatureVerificationFailed, errors.JOSEAlgNotAllowed, errors.JOSENotSupported],
  ...[errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys],
];

/** Who shows a JWT, and until when it holds, in milliseconds since 1970. */
export interface JwtHolder {
  principal: Principal;
  until: number;
}

/** Reads the tokens of one issuer. */
export class JwtReader {
  readonly #settings: JwtSettings;
  readonly #clock: () => number;
  #keys: Promise<JWTVerifyGetKey> | null = null;

  constructor(settings: JwtSettings, clock: () => number) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /**
   * Who shows a token; `null` for one that is not good.
   *
   * @throws {ServerError} `identity_unavailable` while the issuer does not answer
   */
  async holderOf(text: string): Promise<JwtHolder | null> {
    if (text.length > LONGEST || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return null;
    const { issuer, audience, subjectClaim } = this.#settings;
    try {
      const { payload } = await jwtVerify(text, await this.#keySet(), {
        ...{ issuer, audience, algorithms: ALGORITHMS, clockTolerance: TOLERANCE_S },
        ...{ requiredClaims: ["exp", subjectClaim], currentDate: new Date(isoTime(this.#clock)) },
      });
      return this.#read(payload);
    } catch (error) {
      if (REFUSED.some((kind) => error instanceof kind)) return null;
      const message =
        "Who you are cannot be checked now: the issuer of the tokens does not answer as it should.";
      throw new ServerError("identity_unavailable", message, { retry_after: 5 });
    }
  }

  #read(payload: JWTPayload): JwtHolder | null {
    const { subjectClaim, rolesClaim } = this.#settings;
    const id = own(payload, subjectClaim);
    if (typeof id !== "string" || !/^[^\p{Cc}]{1,255}$/u.test(id)) return null;
    const claim = own(payload, rolesClaim) ?? rolesClaim.split(".").reduce<unknown>(own, payload);
    const roles = rolesIn(typeof claim === "string" ? claim.split(/[\s,]+/) : claim);
    const until = ((payload.exp ?? 0) + TOLERANCE_S) * 1_000;
    return { principal: { id, roles: new Set(roles), via: "jwt" }, until };
  }

  #keySet(): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#open().catch((error: unknown) => {
      // Asked again with the next token.
      this.#keys = null;
      throw error;
    });
    return this.#keys;
  }

  async #open(): Promise<JWTVerifyGetKey> {
    const { issuer, jwksUri } = this.#settings;
    const url = new URL(jwksUri ?? (await discover(issuer, TIMEOUT_MS)));
    return createRemoteJWKSet(url, {
      ...{ timeoutDuration: TIMEOUT_MS, cacheMaxAge: KEYS_MS, cooldownDuration: COOLDOWN_MS },
    });
  }
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
