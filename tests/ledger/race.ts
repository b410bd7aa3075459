import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("./fixtures/race.ts", import.meta.url));

/** Lets real processes open one ledger at the same time and decide the same approvals; what each of them won. */
export async function race(
  url: string,
  racers: number,
  prepare: () => Promise<[call_id: string, approval_id: string][]>,
): Promise<string[][]> {
  const children = Array.from({ length: racers }, () =>
    fork(script, [url], { execArgv: ["--import", "tsx"] }),
  );
  try {
    await Promise.all(children.map((child) => message(child)));
    const calls = await prepare();
    const answers = children.map((child) => message(child));
    for (const child of children) child.send(calls);
    return (await Promise.all(answers)).map((answer) => (answer as { won: string[] }).won);
  } finally {
    for (const child of children) child.kill();
  }
}

/** The next message of a process, or an error when it ends without one. */
async function message(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The process ended with ${String(code)}.`);
  });
  const [received] = (await Promise.race([once(child, "message"), ended])) as unknown[];
  ended.catch(() => undefined);
  return received;
}
