import { once } from "node:events";
import { Client } from "../client.ts";

interface Page {
  events: { seq: number }[];
  next_after: number | null;
}

/** `audit export`: every event, one JSON object a line, page by page. */
export async function exportAudit(options: { thread?: string }): Promise<void> {
  const client = new Client();
  let after: number | null = 0;
  while (after !== null) {
    const page: Page = await client.send("/audit", {
      query: { thread_id: options.thread, after, limit: 1_000 },
    });
    const lines = page.events.map((event) => `${JSON.stringify(event)}\n`).join("");
    if (lines !== "" && !process.stdout.write(lines)) await once(process.stdout, "drain");
    after = page.next_after;
  }
}
