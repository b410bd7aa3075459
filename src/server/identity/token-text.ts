import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "../../ledger/index.ts";

/** `cs_`, by which token to find the row, and 256 random bits in base64url. */
const FORM = /^cs_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** Stands in where there is no such token, so that this takes as long as a wrong secret. */
const NOTHING = sha256("");

/** A token as its holder has it, taken apart. */
export interface TokenText {
  token_id: string;
  secret: string;
}

/** A new token, and the digest that is kept of it. */
export function newTokenText(): { token: string; token_id: string; secret_digest: string } {
  const token_id = randomBytes(8).toString("hex");
  const secret = randomBytes(32).toString("base64url");
  return { token: `cs_${token_id}_${secret}`, token_id, secret_digest: sha256(secret) };
}

/** Whether a credential means to be a token of ours, well written or not. */
export function looksLikeToken(text: string): boolean {
  return text.startsWith("cs_");
}

/** `null` for what is not written like a token. */
export function readTokenText(text: string): TokenText | null {
  const [, token_id, secret] = FORM.exec(text) ?? [];
  return token_id === undefined || secret === undefined ? null : { token_id, secret };
}

/** Whether this is the secret of which the digest was kept. Takes the same time wherever they differ. */
export function isSecretOf(secret_digest: string | undefined, secret: string): boolean {
  const kept = Buffer.from(secret_digest ?? NOTHING, "hex");
  const given = Buffer.from(sha256(secret), "hex");
  return kept.length === given.length && timingSafeEqual(kept, given) && secret_digest !== undefined;
}
