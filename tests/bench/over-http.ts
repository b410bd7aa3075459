import { randomUUID } from "node:crypto";
import { input } from "./graphs.ts";
import { startEmbed, startOurs, type Measured } from "./servers.ts";
import { alternate, timed, type Figures } from "./stats.ts";

/** From a decision posted to the run stopped again: `createEmbedServer` with SqliteSaver against this server. */
export async function overHttp(folder: string, rounds: number): Promise<{ embed: Figures; ours: Figures }> {
  const stock = await startEmbed(folder);
  const ours = await startOurs(folder);
  const [embed, mine] = await alternate(rounds, 10, resumed(stock), decided(ours));
  await stock.stop();
  await ours.stop();
  return { embed, ours: mine };
}

const resumed =
  ({ url }: Measured) =>
  async (): Promise<number> => {
    const thread_id = randomUUID();
    await post(`${url}/threads`, { thread_id });
    const body = (command: object) => ({ assistant_id: "agent", stream_mode: ["values"], ...command });
    const paused = await post(`${url}/threads/${thread_id}/runs/stream`, body({ input: input() }));
    const id = /"__interrupt__":\[\{"id":"([0-9a-f]+)"/.exec(paused)?.[1];
    if (id === undefined) throw new Error(`No interrupt in: ${paused.slice(-400)}`);
    const resume = { [id]: { type: "approve" } };
    return timed(() => post(`${url}/threads/${thread_id}/runs/stream`, body({ command: { resume } })));
  };

const decided =
  ({ url }: Measured) =>
  async (): Promise<number> => {
    const thread_id = randomUUID();
    await post(`${url}/threads`, { thread_id });
    const body = { assistant_id: "agent", input: input() };
    const paused = await post(`${url}/threads/${thread_id}/runs/wait`, body);
    const id = /"approval_id":"(apr_[0-9a-f]+)"/.exec(paused)?.[1];
    if (id === undefined) throw new Error(`No approval in: ${paused.slice(-400)}`);
    return timed(() => post(`${url}/approvals/${id}/decision?wait=30`, { type: "approve" }));
  };

async function post(url: string, body: unknown): Promise<string> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} from ${url}: ${text.slice(0, 400)}`);
  return text;
}
