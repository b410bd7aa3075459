import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const scriptOf = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}.ts`, import.meta.url));

/** Lets real processes open one ledger at the same time and decide the same approvals; what each of them won. */
export function race(
  url: string,
  racers: number,
  prepare: () => Promise<[call_id: string, approval_id: string][]>,
): Promise<string[][]> {
  return raceOf("race", url, racers, prepare);
}

/** Lets real processes open one ledger and run a script of the fixtures at the same time, each told the same. */
export async function raceOf(
  script: string,
  url: string,
  racers: number,
  prepare: () => Promise<object>,
): Promise<string[][]> {
  const children = Array.from({ length: racers }, (_, n) =>
    fork(scriptOf(script), [url, `p${n}`], { execArgv: ["--import", "tsx"] }),
  );
  try {
    await Promise.all(children.map((child) => message(child)));
    const told = await prepare();
    const answers = children.map((child) => message(child));
    for (const child of children) child.send(told);
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
