import type { AgentStatus, Told } from "./event.ts";

/** A graph of a run, with those that run inside it. */
export interface AgentNode {
  namespace: readonly string[];
  status: AgentStatus;
  graph_name: string;
  children?: AgentNode[];
}

/** Which graphs run inside which, as lifecycle events have told. */
export class AgentTree {
  readonly #known = new Map<string, Omit<AgentNode, "children">>();

  take({ namespace, lifecycle }: Told): void {
    if (lifecycle === null) return;
    const { event, graph_name } = lifecycle;
    // A new run has a tree of its own.
    if (namespace.length === 0 && event === "running") this.#known.clear();
    this.#known.set(namespace.join("|"), { namespace, status: event, graph_name });
  }

  /** The whole tree; `null` when nothing has run. */
  root(): AgentNode | null {
    return this.#node([]);
  }

  #node(namespace: readonly string[]): AgentNode | null {
    const node = this.#known.get(namespace.join("|"));
    if (node === undefined) return null;
    const children = [...this.#known.values()]
      .filter((one) => one.namespace.length === namespace.length + 1 && begins(one.namespace, namespace))
      .flatMap((one) => this.#node(one.namespace) ?? []);
    return { ...node, ...(children.length > 0 && { children }) };
  }
}

function begins(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((segment, index) => segment === namespace[index]);
}
