import type { CoreEvent } from "../runs/teller.ts";
import type { Happening } from "./event.ts";

/** Reads the events of one run as the protocol's clients expect them. */
export class RunReader {
  /** Whether the thread's own values were among them. */
  hasValues = false;
  /** The questions that were told of, each once. */
  readonly #requested = new Set<string>();

  take({ method, params }: CoreEvent): Happening[] {
    const { namespace, data } = params;
    switch (method) {
      // Whether the whole run goes on is told by whoever runs it.
      case "lifecycle":
        return namespace.length === 0 ? [] : [{ method, ...params }];
      case "values":
        return this.#takeValues(params);
      case "updates":
        return this.#takeUpdate(params);
      case "messages":
      case "tools":
      case "custom":
      case "tasks":
      case "checkpoints":
        return [{ method, ...params }];
      default:
        // Streams that a graph adds itself; what else there may be is not of the protocol.
        if (!method.startsWith("custom:")) return [];
        return [
          { ...params, method: "custom", data: { name: method.slice("custom:".length), payload: data } },
        ];
    }
  }

  /** Tells of open questions, of each once. */
  request(open: readonly { id: string; value: unknown }[], where: Partial<Happening> = {}): Happening[] {
    const fresh = open.filter(({ id }) => !this.#requested.has(id));
    return fresh.map(({ id, value }) => {
      this.#requested.add(id);
      return { ...where, method: "input.requested", data: { interrupt_id: id, payload: value } };
    });
  }

  #takeValues(params: CoreEvent["params"]): Happening[] {
    if (!isObject(params.data)) return [{ method: "values", ...params }];
    const { __interrupt__: asked, ...data } = params.data;
    const { namespace, timestamp } = params;
    const requests = this.request(interruptsOf(asked), { namespace, timestamp });
    if (Object.keys(data).length === 0) return requests;
    if (namespace.length === 0) this.hasValues = true;
    return [...requests, { method: "values", ...params, data }];
  }

  #takeUpdate(params: CoreEvent["params"]): Happening[] {
    const { namespace, timestamp, data } = params;
    if (!isObject(data)) return [];
    if (data["node"] === "__interrupt__")
      return this.request(interruptsOf(data["values"]), { namespace, timestamp });
    return [{ method: "updates", ...params }];
  }
}

function interruptsOf(asked: unknown): { id: string; value: unknown }[] {
  if (!Array.isArray(asked)) return [];
  return (asked as unknown[]).flatMap((one) =>
    isObject(one) && typeof one["id"] === "string" ? [{ id: one["id"], value: one["value"] }] : [],
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
