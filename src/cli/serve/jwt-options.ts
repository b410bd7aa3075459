import { Option, type Command } from "commander";
import type { JwtOptions } from "../../wire.ts";
import { usageError } from "../cli-error.ts";

/** Whose JWTs the server takes, as the command line or the environment has it. */
export interface JwtFlags {
  jwtIssuer?: string;
  jwtAudience?: string;
  jwtJwks?: string;
  jwtRolesClaim?: string;
}

const FLAGS = [
  ["--jwt-issuer <url>", "take JWTs of this issuer, by OpenID Connect", "COUNTERSIGN_JWT_ISSUER"],
  ["--jwt-audience <name>", "the audience they must name", "COUNTERSIGN_JWT_AUDIENCE"],
  ["--jwt-jwks <url>", "its keys; default: where the issuer says", "COUNTERSIGN_JWT_JWKS"],
  ["--jwt-roles-claim <name>", "where the roles are; default: roles", "COUNTERSIGN_JWT_ROLES_CLAIM"],
] as const;

export function addJwtFlags(command: Command): Command {
  for (const [flag, text, variable] of FLAGS) command.addOption(new Option(flag, text).env(variable));
  return command;
}

/** The same from the environment alone, for commands without the flags. */
export function jwtFromEnvironment(env: NodeJS.ProcessEnv): JwtOptions | undefined {
  const [jwtIssuer, jwtAudience, jwtJwks, jwtRolesClaim] = FLAGS.map(([, , variable]) => env[variable]);
  return jwtOf({
    ...(jwtIssuer && { jwtIssuer }),
    ...(jwtAudience && { jwtAudience }),
    ...(jwtJwks && { jwtJwks }),
    ...(jwtRolesClaim && { jwtRolesClaim }),
  });
}

/** @throws {CliError} `usage` where one part is given without the others: a server that takes too many is none. */
export function jwtOf({ jwtIssuer, jwtAudience, jwtJwks, jwtRolesClaim }: JwtFlags): JwtOptions | undefined {
  if (jwtIssuer && jwtAudience)
    return {
      ...{ issuer: jwtIssuer, audience: jwtAudience },
      ...(jwtJwks && { jwksUri: jwtJwks }),
      ...(jwtRolesClaim && { rolesClaim: jwtRolesClaim }),
    };
  if (!jwtIssuer && !jwtAudience && !jwtJwks && !jwtRolesClaim) return undefined;
  throw usageError(
    "JWTs need both --jwt-issuer and --jwt-audience (or COUNTERSIGN_JWT_ISSUER and …_AUDIENCE).",
  );
}
