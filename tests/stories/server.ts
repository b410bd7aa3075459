import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Approval } from "../../src/ledger/index.ts";
import { httpOf, listOf, textOf, type Answer, type Http } from "./http.ts";
import { until } from "./until.ts";

/** A server process of a story. */
export interface Server extends Http, Talk {
  pid: number;
  /** Whether the process has come to this moment, and stands there. */
  isAt(moment: string): boolean;
  /** Resolves when the process stands at this moment. */
  at(moment: string): Promise<void>;
  /** Lets it stop at this moment, too, when it comes. */
  hold(moment: string): void;
  /** Lets it be killed right before or after this is written: a name of `fixtures/server.mjs`. */
  doom(moment: string): void;
  hasEnded(): boolean;
  /** Lets it go on from there. */
  release(moment: string): void;
  kill(): Promise<void>;
  /** Sends SIGTERM; how the process ended, and after how many milliseconds. */
  terminate(): Promise<{ code: number | null; ms: number }>;
  /** What was written to standard error. */
  stderr(): string;
  /** What the process has in memory once it has thrown away what it can, in MiB. */
  memory(): Promise<number>;
  /** What keeps the process alive: its sockets, timers and the like, each by its kind. */
  resources(): Promise<string[]>;
}

/** What clients ask a server, in few words. */
export interface Talk {
  /** Creates a thread and begins a run on it that nobody waits for. */
  send(text?: string): Promise<string>;
  /** Creates a thread and runs until the run stops. */
  begin(text?: string): Promise<string>;
  approvals(query?: { thread_id?: string; status?: string }): Promise<Approval[]>;
  /** The one pending approval of a thread, when it is there. */
  pending(thread_id: string): Promise<Approval>;
  status(thread_id: string): Promise<string>;
  untilStatus(thread_id: string, status: string): Promise<void>;
  /** Decides, and waits until the run has stopped again. */
  decide(approval_id: string, decision: unknown): Promise<Answer>;
  /** What the thread's messages say, each behind its type. */
  messages(thread_id: string): Promise<string[]>;
}

const processes: ChildProcess[] = [];

/** Ends all processes that still serve. */
export async function killAll(): Promise<void> {
  await Promise.all(processes.splice(0).map(kill));
}

async function kill(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/**
 * A process that serves, as soon as it has said where: in a message, or in a line on standard output. One that stops at
 * a moment before that answers nobody.
 */
export async function serverOf(child: ChildProcess): Promise<Server> {
  processes.push(child);
  const reached = new Set<string>();
  const out = { stdout: "", stderr: "", url: "" };
  child.stdout?.on("data", (data: Buffer) => {
    out.stdout += data.toString();
    out.url ||= /listens on (\S+)\n/.exec(out.stdout)?.[1] ?? "";
  });
  child.stderr?.on("data", (data: Buffer) => (out.stderr += data.toString()));
  child.on("message", ({ at, url }: { at?: string; url?: string }) => {
    if (at !== undefined) reached.add(at);
    out.url ||= url ?? "";
  });
  const untilIn = (holds: () => boolean, what: string): Promise<void> =>
    until(() => {
      if (!holds() && hasEnded(child)) throw new Error(`The process ended before ${what}.\n${out.stderr}`);
      return holds();
    }, what);
  /** Asks the process itself for something. */
  const told = <What>(what: string): Promise<What> =>
    new Promise((resolve) => {
      const onMessage = (message: Record<string, What | undefined>): void => {
        const found = message[what];
        if (found === undefined) return;
        child.off("message", onMessage);
        resolve(found);
      };
      child.on("message", onMessage);
      child.send(what);
    });
  await untilIn(() => out.url !== "" || reached.size > 0, "it listened");
  const http = httpOf(out.url);
  return {
    ...http,
    ...talkTo(http),
    pid: child.pid ?? 0,
    isAt: (moment) => reached.has(moment),
    at: (moment) => untilIn(() => reached.has(moment), `"${moment}"`),
    hold: (moment) => void child.send({ hold: moment }),
    doom: (moment) => void child.send({ doom: moment }),
    hasEnded: () => hasEnded(child),
    release: (moment) => void child.send(moment),
    kill: () => kill(child),
    async terminate() {
      const begin = Date.now();
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = (await exited) as [number | null];
      return { code, ms: Date.now() - begin };
    },
    stderr: () => out.stderr,
    memory: async () => Math.round((await told<{ rss: number }>("memory")).rss / 1_048_576),
    resources: async () => (await told<string[]>("resources")).toSorted(),
  };
}

function talkTo({ get, post }: Http): Talk {
  const input = (text: string) => ({ messages: [{ role: "user", content: text }] });
  const newThread = async (): Promise<string> => textOf((await post("/threads", {})).body["thread_id"]);
  const run = (thread_id: string, text: string): Promise<Answer> =>
    post(`/threads/${thread_id}/runs/wait`, { assistant_id: "agent", input: input(text) });
  const approvals: Talk["approvals"] = async (query = {}) => {
    const { body } = await get(`/approvals?${new URLSearchParams({ limit: "1000", ...query }).toString()}`);
    return body["approvals"] as unknown as Approval[];
  };
  const status: Talk["status"] = async (thread_id) =>
    textOf((await get(`/threads/${thread_id}`)).body["status"]);
  return {
    approvals,
    status,
    async send(text = "go") {
      const thread_id = await newThread();
      // The process may be killed before there is an answer.
      run(thread_id, text).catch(() => undefined);
      return thread_id;
    },
    async begin(text = "go") {
      const thread_id = await newThread();
      await run(thread_id, text);
      return thread_id;
    },
    async pending(thread_id) {
      await until(async () => (await approvals({ thread_id })).length > 0, "an approval was pending");
      const [first, ...others] = await approvals({ thread_id });
      if (first === undefined || others.length > 0) throw new Error("Not exactly one approval is pending.");
      return first;
    },
    untilStatus: (thread_id, wanted) =>
      until(async () => (await status(thread_id)) === wanted, `the thread was ${wanted}`),
    decide: (approval_id, decision) => post(`/approvals/${approval_id}/decision?wait=40`, decision),
    async messages(thread_id) {
      const { body } = await get(`/threads/${thread_id}/state`);
      return listOf(body["values"]?.["messages"] ?? []).map(
        (one) => `${textOf(one["type"])}: ${textOf(one["content"])}`,
      );
    },
  };
}
