import {
  combineOverlays,
  Mode,
  parseOverlay,
  strictestMode,
  type PolicyOverlay,
} from "../../policy/index.ts";
import { cleanConfigurable, type Order } from "../runs/order.ts";
import type { Saying } from "./assistant.ts";

/**
 * The order of a run of an assistant: what the run says, over what the assistant says. Key by key the run wins, except
 * where policies are read from: there both count, and together they are as strict as the stricter of them in each point.
 */
export function orderWith({ config, context }: Pick<Saying, "config" | "context">, order: Order): Order {
  const { configurable, tags, metadata, recursion_limit } = config as Order;
  return {
    ...(tags && { tags }),
    ...(recursion_limit && { recursion_limit }),
    ...order,
    ...whole("context", contextWith(context, order.context)),
    ...whole("configurable", { ...cleanConfigurable(configurable), ...order.configurable }),
    ...whole("metadata", { ...metadata, ...order.metadata }),
  };
}

function contextWith(
  kept: Record<string, unknown>,
  given: Record<string, unknown> = {},
): Record<string, unknown> {
  const context = { ...kept, ...given };
  if (isIn("policy", kept, given)) context["policy"] = policyWith(kept["policy"], given["policy"]);
  if (isIn("mode", kept, given)) context["mode"] = modeWith(kept["mode"], given["mode"]);
  return context;
}

/** What cannot be read stays as it is, so that a gate refuses to run under it. Other graphs may mean something else. */
function policyWith(kept: unknown, given: unknown): unknown {
  const [keptOverlay, givenOverlay] = [overlayOf(kept), overlayOf(given)];
  if (givenOverlay === undefined) return given;
  return keptOverlay === undefined ? kept : combineOverlays(keptOverlay, givenOverlay);
}

function modeWith(kept: unknown, given: unknown): unknown {
  const [keptMode, givenMode] = [Mode.safeParse(kept), Mode.safeParse(given)];
  if (!givenMode.success) return given;
  return keptMode.success ? strictestMode(keptMode.data, givenMode.data) : kept;
}

function overlayOf(policy: unknown): PolicyOverlay | undefined {
  try {
    return parseOverlay(policy);
  } catch {
    return undefined;
  }
}

/** A key that is set to `undefined` says nothing, and `null` is a value that a gate refuses. */
function isIn(key: string, ...all: Record<string, unknown>[]): boolean {
  return all.every((one) => one[key] !== undefined);
}

function whole<Key extends string>(
  key: Key,
  value: Record<string, unknown>,
): Partial<Record<Key, Record<string, unknown>>> {
  return Object.keys(value).length > 0 ? ({ [key]: value } as Record<Key, Record<string, unknown>>) : {};
}
