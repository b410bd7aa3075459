import type { Command } from "commander";
import { Command as Program } from "commander";
import { approvalsCommand } from "./approvals/command.ts";
import { auditCommand } from "./audit/command.ts";
import { chatCommand } from "./chat/command.ts";
import { fatigueCommand } from "./fatigue/command.ts";
import { grantsCommand } from "./grants/command.ts";
import { packageVersion } from "./package-files.ts";
import { policyCommand } from "./policy/command.ts";
import { serveCommand } from "./serve/command.ts";
import { storeCommand } from "./store/command.ts";
import { tokenCommand } from "./token/command.ts";

const ENVIRONMENT = `
Environment:
  COUNTERSIGN_URL        where the server is (default http://127.0.0.1:4100)
  COUNTERSIGN_TOKEN      sent as "Authorization: Bearer"
  COUNTERSIGN_STORE      where approvals are kept (file:.countersign/state.db)
  COUNTERSIGN_PORT, COUNTERSIGN_HOST    where a server listens
  COUNTERSIGN_JWT_…      ISSUER, AUDIENCE, JWKS, ROLES_CLAIM: whose JWTs count
  COUNTERSIGN_NOTIFY_SECRET    signs what "serve --notify" tells
  COUNTERSIGN_PUBLIC_URL where people reach the server, for links to it
  COUNTERSIGN_POLICY     careful, everyday (default), headless or a .json file
  COUNTERSIGN_MODEL      such as "openai:gpt-5"; default: the rehearsal model
  COUNTERSIGN_WORKSPACE  the folder of the bundled agent (workspace)
  COUNTERSIGN_HTTP_LOCAL what its requests may reach here, as 127.0.0.1:8080
  COUNTERSIGN_LOG_LEVEL  what "serve" tells on standard error (info)`;

/** The whole command line. What a command does is loaded when it is called. */
export function program(): Command {
  const root = new Program("countersign")
    .description("A person between an agent and the calls that cannot be undone.")
    .version(packageVersion())
    .addHelpText("after", ENVIRONMENT);
  const commands = [
    chatCommand(),
    serveCommand(),
    approvalsCommand(),
    grantsCommand(),
    policyCommand(),
    fatigueCommand(),
    auditCommand(),
    tokenCommand(),
    storeCommand(),
  ];
  for (const command of commands) root.addCommand(command);
  quiet(root);
  return root;
}

/** Makes a command and those below it throw instead of printing their errors and leaving. */
function quiet(command: Command): void {
  command.exitOverride();
  command.configureOutput({ outputError: () => undefined });
  command.showHelpAfterError(false);
  for (const inner of command.commands) quiet(inner);
}
