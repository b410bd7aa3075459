import { z } from "zod";
import { StartError } from "../start-error.ts";
import { isLoopback } from "./loopback.ts";

/** Whose JWTs a server takes, and where in them it reads who somebody is. */
export const JwtSettings = z.strictObject({
  issuer: z.string().min(1),
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  /** Default: what the issuer's `.well-known/openid-configuration` says. */
  jwksUri: z.string().optional(),
  /** A list of roles, or one text with spaces between them. With dots it is a path. */
  rolesClaim: z.string().min(1).default("roles"),
  subjectClaim: z.string().min(1).default("sub"),
});
export type JwtSettings = z.infer<typeof JwtSettings>;
export type JwtOptions = z.input<typeof JwtSettings>;

/** @throws {StartError} `bad_identity` */
export function readJwtSettings(given: JwtOptions): JwtSettings {
  const read = JwtSettings.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = ["jwt", ...(issue?.path ?? [])].join(".");
    throw badIdentity(`"${where}" does not fit: ${issue?.message ?? "it cannot be read"}`);
  }
  const settings = read.data;
  assertSafeUrl(settings.issuer, "jwt.issuer");
  if (settings.jwksUri !== undefined) assertSafeUrl(settings.jwksUri, "jwt.jwksUri");
  return settings;
}

/** Whoever can answer in the issuer's place can be anybody. @throws {StartError} `bad_identity` */
export function assertSafeUrl(text: string, name: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) return;
  throw badIdentity(`"${name}" is "${text.slice(0, 200)}", and must be an https URL`);
}

function badIdentity(what: string): StartError {
  return new StartError("bad_identity", `${what}. Correct it, and start again.`);
}
