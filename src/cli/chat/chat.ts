import { CliError, EXIT } from "../cli-error.ts";
import type { OutputOptions } from "../print.ts";
import { connect, type Connection } from "./connect.ts";
import { Feed } from "./feed.ts";
import { JsonView } from "./json-view.ts";
import { LineInput } from "./line-input.ts";
import { PersonView } from "./person-view.ts";
import { PromptInput } from "./prompt-input.ts";
import { Session } from "./session.ts";
import { talk } from "./talk.ts";
import { openThread } from "./thread.ts";
import type { View } from "./view.ts";
import type { WireMessage } from "./wire-types.ts";

export interface ChatOptions extends OutputOptions {
  graph?: string;
  thread?: string;
}

/** How many messages are shown to somebody who comes back. */
const RECENT = 6;

/** `countersign chat`: until the person leaves or the server is gone. */
export async function chat(options: ChatOptions): Promise<void> {
  const isTerminal = options.json !== true && process.stdin.isTTY && process.stdout.isTTY;
  const view: View = options.json === true ? new JsonView() : new PersonView({ isTerminal });
  const connection = await connect(() => view.starting());
  const leaving = leaveOnSignal();
  try {
    await chatOn(connection, options, { view, isTerminal, leaving });
  } finally {
    await connection.stop();
  }
  // What was read from the terminal or a pipe must not hold the process.
  process.exit(process.exitCode ?? EXIT.ok);
}

async function chatOn(
  { client, store, model, isBundled }: Connection,
  options: ChatOptions,
  { view, isTerminal, leaving }: { view: View; isTerminal: boolean; leaving: AbortSignal },
): Promise<void> {
  const { thread, graph, isNew } = await openThread(client, options);
  const { thread_id } = thread;
  const feed = await Feed.open(client, thread_id);
  view.welcome({ url: client.url, store, model, isBundled, thread_id, isNew });
  const messages = thread.values?.messages ?? [];
  if (!isNew) view.history(recent(messages));
  const input = isTerminal ? new PromptInput() : new LineInput(process.stdin, view);
  const session = new Session({ client, thread_id, graph, view, input, feed, leaving });
  session.know(messages);
  try {
    await talk(session);
  } catch (error) {
    if (!leaving.aborted) throw error;
  } finally {
    input.close();
    feed.close();
    await sayGoodbye(session);
  }
}

/** The last things that were said, and the answers of tools among them. */
function recent(messages: readonly WireMessage[]): readonly WireMessage[] {
  const said = messages.filter(({ type }) => type !== "tool").slice(-RECENT);
  return messages.slice(said[0] === undefined ? messages.length : messages.indexOf(said[0]));
}

async function sayGoodbye({ client, view, thread_id }: Session): Promise<void> {
  const query = { thread_id, status: "pending", limit: 1_000 };
  const open = await client.send<{ approvals: unknown[] }>("/approvals", { query }).catch(() => undefined);
  const isNpm = process.env["npm_lifecycle_event"] === "start";
  const command = `${isNpm ? "npm start --" : "countersign chat"} --thread ${thread_id}`;
  view.leave({ thread_id, command, pending: open?.approvals.length ?? 0 });
}

/** A signal that is aborted by the first Ctrl-C outside a prompt, or by SIGTERM. The second one ends at once. */
function leaveOnSignal(): AbortSignal {
  const leaving = new AbortController();
  const leave = (): void => {
    if (leaving.signal.aborted) process.exit(EXIT.failed);
    leaving.abort(new CliError({ title: "Left", code: "left", detail: "The chat was left." }));
  };
  process.on("SIGINT", leave);
  process.on("SIGTERM", leave);
  return leaving.signal;
}
