import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** The key that a secret stands for: `whsec_` and base64, as Standard Webhooks have it, or the text itself. */
export function readSecret(secret: string): Buffer {
  if (!secret.startsWith(PREFIX)) return Buffer.from(secret, "utf8");
  const base64 = secret.slice(PREFIX.length);
  const key = Buffer.from(base64, "base64");
  // Node reads whatever it can; what it left out was no base64.
  const isWhole = key.toString("base64").replace(/=+$/, "") === base64.replace(/=+$/, "");
  return isWhole ? key : Buffer.alloc(0);
}

/**
 * The headers that say when something was sent and prove who sent it: `webhook-timestamp` in seconds since 1970, and
 * `webhook-signature`, an HMAC-SHA256 over id, timestamp and body.
 *
 * Source: Standard Webhooks, https://www.standardwebhooks.com.
 */
export function signatureOf(
  key: Buffer | null,
  { message_id, body }: { message_id: string; body: string },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const headers = { "webhook-timestamp": timestamp };
  if (key === null) return headers;
  const signed = createHmac("sha256", key).update(`${message_id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signed}` };
}
