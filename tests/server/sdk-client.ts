import { Client } from "@langchain/langgraph-sdk";
import type { Bench } from "./bench.ts";

/** The published client of LangGraph, pointed at a server. It repeats nothing, so that each refusal shows at once. */
export function sdkOf({ url }: Pick<Bench, "url">): Client {
  return new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });
}

/** What a list, or anything that can be read through, gives. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

/** The status of an answer that was refused, and its problem's code. */
export async function refusal(promise: Promise<unknown>): Promise<{ status: number; code: string }> {
  try {
    await promise;
  } catch (error) {
    const { status, text, message } = error as { status?: number; text?: string; message: string };
    const body = text ?? message.slice(message.indexOf("{"));
    return { status: status ?? 0, code: (JSON.parse(body) as { code: string }).code };
  }
  throw new Error("It was not refused.");
}
