import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Answer } from "./http.ts";

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A client in a process of its own. */
export interface Client {
  post(url: string, body: unknown): Promise<Answer>;
}

export function startClient(): Client {
  const file = fileURLToPath(new URL("./fixtures/client.mjs", import.meta.url));
  const child = fork(file, [], { execArgv: [] });
  started.push(child);
  const waiting = new Map<number, (answer: Answer) => void>();
  child.on("message", ({ id, ...answer }: Answer & { id: number }) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  let sent = 0;
  return {
    post: (url, body) =>
      new Promise((resolve) => {
        sent += 1;
        waiting.set(sent, resolve);
        child.send({ id: sent, url, body });
      }),
  };
}
