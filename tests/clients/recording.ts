import type { Client } from "@langchain/langgraph-sdk";
import { bench, type Bench, type BenchOptions } from "../server/bench.ts";
import { sdkOf } from "../server/sdk-client.ts";
import type { Step } from "../../src/models/index.ts";

type Part = "assistants" | "threads" | "runs" | "store" | "crons";

/** Counts which methods of one part of the published client a file of tests calls. */
export class Recording {
  readonly #part: Part;
  readonly #called = new Set<string>();
  readonly #methods: string[];

  constructor(part: Part) {
    this.#part = part;
    this.#methods = methodsOf(sdkOf({ url: "http://127.0.0.1" })[part]);
  }

  /** A server and the published client, whose calls are counted. */
  async connected(
    steps: readonly Step[],
    options: BenchOptions = {},
  ): Promise<{ server: Bench; client: Client }> {
    const server = await bench(steps, options);
    return { server, client: this.over(sdkOf(server)) };
  }

  /** Counts what is called on a client. */
  over(client: Client): Client {
    const called = this.#called;
    const recorded = new Proxy<object>(client[this.#part], {
      get(target, name) {
        const found = Reflect.get(target, name, target) as unknown;
        if (typeof found !== "function") return found;
        called.add(String(name));
        // On the object itself: what is private to it is not there on a proxy.
        return found.bind(target) as unknown;
      },
    });
    return new Proxy(client, {
      get: (target, name) =>
        name === this.#part ? recorded : (Reflect.get(target, name, target) as unknown),
    });
  }

  /** The public methods that no test has called. */
  missed(): string[] {
    return this.#methods.filter((name) => !this.#called.has(name));
  }
}

/** The methods that a class itself offers: those of its base only carry its requests. */
function methodsOf(part: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== "constructor");
}
