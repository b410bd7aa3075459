import type { Command } from "@langchain/langgraph-sdk";
import { expect } from "vitest";
import type { Foreign } from "../server/foreign.ts";
import { ours, together } from "./payments.ts";

/** Our agent, paused before payments, and what a client may try on its thread. */
export async function paused(names = ["ann", "bob", "cy"], policy = together) {
  return facing(await ours(names, policy));
}

export async function facing(server: Foreign) {
  const { client, done, statusOf } = server;
  const thread_id = await server.go();
  return {
    ...{ ...server, thread_id },
    send: (command: Command, more: object = {}) => client.runs.wait(thread_id, "agent", { command, ...more }),
    /** What must hold after whatever was refused: nothing was paid, the questions are there as they were. */
    async isUntouched(count: number) {
      expect(done.paid).toEqual([]);
      expect(await server.pending(thread_id)).toHaveLength(count);
      expect(await statusOf(thread_id)).toBe("interrupted");
      const { interrupts } = await client.threads.get(thread_id);
      expect(Object.values(interrupts).flat()).toHaveLength(count);
    },
  };
}
