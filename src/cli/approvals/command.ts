import { Option, type Command } from "commander";
import type { ApprovalStatus, Decision } from "../../ledger/index.ts";
import { newCommand, newGroup } from "../command.ts";
import type { DecideOptions } from "./decide.ts";
import type { GroupOptions } from "./group.ts";
import type { OutputOptions } from "../print.ts";
import type { ListOptions } from "./list.ts";
import { rememberOf, type RememberOptions } from "./remember.ts";

const STATUSES: (ApprovalStatus | "all")[] = [
  ...(["pending", "approved", "edited", "rejected", "responded", "expired", "cancelled"] as const),
  ...(["unavailable", "all"] as const),
];
const MESSAGE = "--message <text>";
const REASON = ["--reason <text>", "why, for the record; the model does not see it"] as const;
const WAIT = ["--wait <seconds>", "hold the answer until the run stops again, 60 at most"] as const;

/** `countersign approvals …`: the questions, and their answers. */
export function approvalsCommand(): Command {
  const approvals = newGroup("approvals", "list the calls that wait for a person, and decide them");
  approvals.addCommand(listCommand());
  approvals.addCommand(
    newCommand("show", "show one approval in full")
      .argument("<id>", "id of the approval, apr_…")
      .action(async (id: string, options: DecideOptions) =>
        (await import("./show.ts")).showApproval(id, options),
      ),
  );
  for (const command of [approveCommand(), editCommand(), rejectCommand()].map(withRemember))
    approvals.addCommand(command.option(...REASON).option(...WAIT));
  approvals.addCommand(
    respondCommand()
      .option(...REASON)
      .option(...WAIT),
  );
  approvals.addCommand(
    newCommand("withdraw", "take the question back: the call is not run")
      .argument("<id>", "id of the approval")
      .action(async (id: string, options: OutputOptions) =>
        (await import("./withdraw.ts")).withdrawApproval(id, options),
      ),
  );
  return approvals;
}

function withGroup(command: Command): Command {
  return command
    .argument("[id]", "id of the approval")
    .option("--group <id>", "all pending calls of this group, grp_…, and none that comes later")
    .option("--except <id...>", "with --group: but not these approvals");
}

/** Decides one approval or those of a group. */
async function decide(id: string | undefined, decision: Decision, options: GroupOptions): Promise<void> {
  const { decideGroup, readWhich } = await import("./group.ts");
  const which = readWhich(id, options);
  if ("group" in which) return decideGroup(which, decision, options);
  return (await import("./decide.ts")).decideApproval(which.id, decision, options);
}

function withRemember(command: Command): Command {
  return command
    .addOption(
      new Option("--remember <scope>", "decide such calls alike from now on").choices([
        "thread",
        "user",
        "everyone",
      ]),
    )
    .option("--match <what>", 'with --remember: "exact", "tool", or a test of the arguments as JSON')
    .option("--for <duration>", 'with --remember: how long, like "30m"')
    .option("--uses <n>", "with --remember: for so many calls");
}

function listCommand(): Command {
  return newCommand("list", "list approvals, oldest first")
    .addOption(new Option("--status <status>", "how they stand").choices(STATUSES).default("pending"))
    .option("--thread <id>", "only of this thread")
    .option("--tool <name>", "only of this tool")
    .option("--limit <n>", "at most so many, 1 to 1000", "100")
    .action(async (options: ListOptions) => (await import("./list.ts")).listApprovals(options));
}

function approveCommand(): Command {
  return withGroup(newCommand("approve", "run the call as it was shown")).action(
    async (id: string | undefined, options: GroupOptions & RememberOptions) =>
      decide(id, { type: "approve", ...rememberOf(options) }, options),
  );
}

function editCommand(): Command {
  return newCommand("edit", "run the call with other arguments")
    .argument("<id>", "id of the approval")
    .requiredOption("--args <json>", "the arguments, all of them, as a JSON object")
    .action(async (id: string, options: DecideOptions & RememberOptions & { args: string }) => {
      const { decideApproval, editOf } = await import("./decide.ts");
      return decideApproval(id, { ...editOf(options.args), ...rememberOf(options) }, options);
    });
}

function rejectCommand(): Command {
  return withGroup(newCommand("reject", "do not run the call"))
    .option(MESSAGE, "why not, for the model")
    .action(
      async (id: string | undefined, options: GroupOptions & RememberOptions & { message?: string }) => {
        const message = options.message === undefined ? {} : { message: options.message };
        return decide(id, { type: "reject", ...message, ...rememberOf(options) }, options);
      },
    );
}

function respondCommand(): Command {
  return newCommand("respond", "do not run the call; answer the model in its place")
    .argument("<id>", "id of the approval")
    .requiredOption(MESSAGE, "the answer")
    .action(async (id: string, options: DecideOptions & { message: string }) =>
      (await import("./decide.ts")).decideApproval(
        id,
        { type: "respond", message: options.message },
        options,
      ),
    );
}
