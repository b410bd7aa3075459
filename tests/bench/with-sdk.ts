import { Client, type Command, type ThreadState } from "@langchain/langgraph-sdk";
import { input } from "./graphs.ts";
import { startDev, startEmbed, startOurs } from "./servers.ts";
import { figures, inTurn, type Figures } from "./stats.ts";

/** How long the published client waits for a question, and from its answer to the run's end. */
export interface SdkRow {
  name: string;
  ask: Figures;
  resume: Figures;
}

/** Takes a run to where it stops, and tells which question it stopped at, if it did. */
type Play = (thread_id: string, payload: object) => Promise<string | undefined>;

/** The published client against three servers in turn, each over real HTTP: ours, `createEmbedServer`, `langgraphjs dev`. */
export async function withSdk(folder: string, rounds: number): Promise<SdkRow[]> {
  const servers = [
    { name: "Countersign", server: await startOurs(folder), play: waiting },
    { name: "createEmbedServer", server: await startEmbed(folder), play: streaming },
    { name: "langgraphjs dev", server: await startDev(), play: waiting },
  ];
  try {
    const rows = servers.map(({ server, play }) => {
      const client = new Client({ apiUrl: server.url });
      return () => round(client, play(client));
    });
    const samples = await inTurn(rounds, 5, rows);
    return servers.map(({ name }, index) => {
      const of = (which: "ask" | "resume") => figures((samples[index] ?? []).map((one) => one[which]));
      return { name, ask: of("ask"), resume: of("resume") };
    });
  } finally {
    for (const { server } of servers) await server.stop();
  }
}

async function round(client: Client, play: Play): Promise<{ ask: number; resume: number }> {
  const { thread_id } = await client.threads.create();
  const start = performance.now();
  const question = await play(thread_id, { input: input() });
  const asked = performance.now();
  if (question === undefined) throw new Error("The run ended without a question.");
  const command: Command = { resume: { [question]: { type: "approve" } } };
  const next = await play(thread_id, { command });
  const resumed = performance.now();
  if (next !== undefined) throw new Error("The answer was not taken.");
  return { ask: asked - start, resume: resumed - asked };
}

const waiting =
  (client: Client): Play =>
  async (thread_id, payload) => {
    const values = await client.runs.wait(thread_id, "agent", payload);
    return (values as { __interrupt__?: { id: string }[] }).__interrupt__?.[0]?.id;
  };

/** The embedded server has no `runs.wait`: its stream is read to the end, and then what the thread stopped at. */
const streaming =
  (client: Client): Play =>
  async (thread_id, payload) => {
    const stream = client.runs.stream(thread_id, "agent", { ...payload, streamMode: "values" });
    for await (const { event, data } of stream)
      if (event === "error") throw new Error(`The run failed: ${JSON.stringify(data)}`);
    const state: ThreadState = await client.threads.getState(thread_id);
    return state.tasks.flatMap(({ interrupts }) => interrupts)[0]?.id ?? undefined;
  };
