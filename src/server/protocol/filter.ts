import { z } from "@hono/zod-openapi";
import type { Entry } from "./event.ts";

const CHANNELS = new Set([
  ...["values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks", "custom"],
]);

const Channel = z
  .string()
  .max(200)
  .refine((name) => CHANNELS.has(name) || name.startsWith("custom:"), "is no channel")
  .describe(`One of ${[...CHANNELS].join(", ")}, or \`custom:NAME\`.`);

/** What a client wants to hear of a thread. */
export const Filter = z
  .looseObject({
    channels: z.array(Channel).min(1).max(100),
    namespaces: z
      .array(z.array(z.string()))
      .nullish()
      .describe("Where: what begins like one of these. A segment without `:` fits every task of its node."),
    depth: z.number().int().min(0).nullish().describe("How many levels below a namespace, at most."),
    since: z.number().int().min(0).nullish().describe("The `seq` after which to begin."),
  })
  .meta({ id: "EventFilter" });
export type Filter = z.infer<typeof Filter>;

/** Whether a client wants to hear of an event. */
export function fits(entry: Entry, { channels, namespaces, depth, since }: Filter): boolean {
  const { seq, channel, namespace } = entry;
  if (typeof since === "number" && seq <= since) return false;
  if (!channels.includes(channel) && !(channel.startsWith("custom:") && channels.includes("custom")))
    return false;
  if (!namespaces || namespaces.length === 0) return true;
  return namespaces.some(
    (prefix) =>
      beginsLike(namespace, prefix) &&
      (typeof depth !== "number" || namespace.length - prefix.length <= depth),
  );
}

function beginsLike(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((wanted, index) => {
    const segment = namespace[index];
    return segment === wanted || (!wanted.includes(":") && segment?.split(":", 1)[0] === wanted);
  });
}
