import { CliError } from "../cli-error.ts";
import { follow } from "./follow.ts";
import { answerQuestions, openQuestions } from "./questions.ts";
import { runMessage } from "./run.ts";
import type { Session } from "./session.ts";

const HELP =
  "Write what the agent is to do. /pending shows the open questions, /quit leaves. " +
  "What waits is kept, and any terminal can decide it: countersign approvals list";

/** Goes back and forth between the person and the agent until the person leaves. */
export async function talk(session: Session): Promise<void> {
  const { input, view, leaving, later } = session;
  await follow(session, []);
  while (!leaving.aborted) {
    if ((await answerQuestions(session)) === "leave") return;
    const change = whileLater(session);
    const said = await input.message(AbortSignal.any([change.signal, leaving]));
    change.stop();
    if (said.kind === "leave") return;
    if (said.kind === "overtaken") {
      await follow(session, []);
      continue;
    }
    switch (said.text.toLowerCase()) {
      case "/quit":
      case "/exit":
        return;
      case "/help":
        view.note(HELP);
        break;
      case "/pending":
        later.clear();
        if ((await openQuestions(session)).length === 0) view.note("No question is open.");
        break;
      default:
        await send(session, said.text);
    }
  }
}

async function send(session: Session, text: string): Promise<void> {
  try {
    await runMessage(session, text);
  } catch (error) {
    if (session.leaving.aborted) return;
    // Without a server there is nothing left to talk to.
    if (!(error instanceof CliError) || ["no_server", "unreachable"].includes(error.problem.code))
      throw error;
    session.view.fault(error.problem);
    if (session.later.size > 0) session.view.note("/pending shows the open questions again.");
  }
}

/** Tells when something happens on the thread while questions were put off: somebody else may decide them. */
function whileLater({ feed, later }: Session): { signal: AbortSignal; stop(): void } {
  const happened = new AbortController();
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await feed.arrival(60_000, stopping.signal);
      if (!stopping.signal.aborted && feed.hasArrived) return happened.abort();
    }
  };
  if (later.size > 0) void look();
  return { signal: happened.signal, stop: () => stopping.abort() };
}
