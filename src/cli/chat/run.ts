import { CliError } from "../cli-error.ts";
import { follow } from "./follow.ts";
import type { Session } from "./session.ts";
import { isFromAgent, readEvent, textOf, type WireMessage } from "./wire-types.ts";

/** Sends a message to the agent and shows the run until it stops: for its end, or for a question. */
export async function runMessage(session: Session, content: string): Promise<void> {
  const { client, thread_id, graph, leaving, view } = session;
  const events = await client.open(`/threads/${encodeURIComponent(thread_id)}/runs/stream`, {
    method: "POST",
    body: {
      assistant_id: graph,
      input: { messages: [{ role: "user", content }] },
      stream_mode: ["messages-tuple", "custom"],
      on_disconnect: "continue",
    },
    signal: leaving,
  });
  const said = new Map<string, string>();
  try {
    for await (const { event, data } of events) {
      if (event.startsWith("messages")) showPiece(session, said, data);
      if (event.startsWith("custom")) showCustom(session, data);
    }
  } catch (error) {
    if (leaving.aborted) return;
    if (error instanceof CliError) throw error;
    view.note("The connection to the server broke. What runs there goes on.");
  } finally {
    view.endText();
    for (const text of said.values()) session.said(text);
  }
  await follow(session, []);
}

function showCustom(session: Session, data: string): void {
  const event = readEvent(data);
  if (event === undefined) return;
  session.view.endText();
  session.showEvent(event);
}

/** A piece of what the agent says, or the whole where the model does not stream. */
function showPiece(session: Session, said: Map<string, string>, data: string): void {
  const [message] = JSON.parse(data) as [WireMessage | undefined];
  if (message === undefined || !isFromAgent(message)) return;
  const text = textOf(message);
  const id = message.id ?? "";
  const before = said.get(id);
  // A server may send the whole once more behind the pieces.
  if (text === "" || text === before) return;
  if (before === undefined) session.view.endText();
  said.set(id, (before ?? "") + text);
  session.view.text(text);
}
