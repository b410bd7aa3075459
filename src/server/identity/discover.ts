import { z } from "zod";
import { assertSafeUrl } from "./jwt-settings.ts";

const Discovery = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });

/** Where an issuer has its keys, as its own description says (OpenID Connect Discovery). */
export async function discover(issuer: string, timeoutMs: number): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
  const found = Discovery.parse(await answer.json());
  if (found.issuer !== issuer) throw new Error(`${url} describes another issuer, "${found.issuer}".`);
  assertSafeUrl(found.jwks_uri, "jwks_uri");
  return found.jwks_uri;
}
