import { randomUUID } from "node:crypto";
import { isoTime } from "../../desk/index.ts";
import type { Graphs } from "../graphs/graphs.ts";
import { ServerError } from "../problem.ts";
import { systemAssistant, type Assistant, type AssistantVersion, type Saying } from "./assistant.ts";
import type { SavedAssistants } from "./saved-assistants.ts";

/** What a client says of an assistant. What is left out has a default, or stays as it is. */
export type Stated = { [Key in keyof Saying]?: Saying[Key] | undefined };

export interface AssistantsParts {
  graphs: Graphs;
  saved: SavedAssistants;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Refuses what a graph could not be run with. */
  check: (saying: Saying) => Promise<void>;
}

/** All assistants: one that each graph has by itself, and those that clients have saved. */
export class Assistants {
  readonly #parts: AssistantsParts;
  readonly #own: ReadonlyMap<string, Assistant>;

  constructor(parts: AssistantsParts) {
    this.#parts = parts;
    const at = isoTime(parts.clock);
    const own = parts.graphs.ids().map((graph_id) => systemAssistant(graph_id, at));
    this.#own = new Map(own.map((one) => [one.assistant_id, one]));
  }

  async all(): Promise<Assistant[]> {
    return [...this.#own.values(), ...(await this.#parts.saved.all())];
  }

  /** The assistant of an id, or the own one of the graph of this name. @throws {ServerError} `assistant_not_found` */
  async get(assistant_id: string): Promise<Assistant> {
    const own = this.#ownOf(assistant_id);
    if (own) return own;
    const saved = await this.#parts.saved.get(assistant_id.toLowerCase());
    if (saved) return saved;
    throw new ServerError(
      "assistant_not_found",
      `There is no assistant "${assistant_id.slice(0, 80)}". POST /assistants/search lists those there are.`,
    );
  }

  /** The assistant that a run is asked of. @throws {ServerError} when there is none, or its graph is not served. */
  async resolve(assistant_id: string): Promise<Assistant> {
    if (!isId(assistant_id)) this.#parts.graphs.assertServed(assistant_id, "assistant_id");
    const found = await this.get(assistant_id);
    this.#parts.graphs.assertServed(found.graph_id);
    return found;
  }

  /** Saves a new assistant. One that has this id already is given instead, if that will do. @throws {ServerError} */
  async create(given: Stated & { graph_id: string; assistant_id?: string | undefined }, willDo: boolean) {
    const { assistant_id = randomUUID(), graph_id, ...stated } = given;
    const id = assistant_id.toLowerCase();
    const blank = { name: graph_id, description: null, config: {}, context: {}, metadata: {} };
    const saying = { ...blank, ...said(stated), graph_id };
    const isTaken = this.#ownOf(id) !== undefined;
    if (!isTaken) await this.#check(saying);
    const isAdded = !isTaken && (await this.#parts.saved.add(id, saying, isoTime(this.#parts.clock)));
    if (!isAdded && !willDo)
      throw new ServerError(
        "assistant_exists",
        `There is an assistant "${id}" already. Send another "assistant_id", or "if_exists": "do_nothing".`,
      );
    return this.get(id);
  }

  /** Adds a version with what is stated, and lets it count; metadata is merged. @throws {ServerError} */
  async update(assistant_id: string, stated: Stated): Promise<Assistant> {
    const { assistant_id: id, ...known } = await this.#changeable(assistant_id);
    const changed = (now: Saying): Saying => ({
      ...{ graph_id: now.graph_id, name: now.name, description: now.description },
      ...{ config: now.config, context: now.context },
      ...said(stated),
      metadata: { ...now.metadata, ...stated.metadata },
    });
    await this.#check(changed(known));
    await this.#parts.saved.update(id, changed, isoTime(this.#parts.clock));
    return this.get(id);
  }

  /** @throws {ServerError} */
  async remove(assistant_id: string): Promise<Assistant> {
    const found = await this.#changeable(assistant_id);
    await this.#parts.saved.remove(found.assistant_id);
    return found;
  }

  /** The versions of one, the newest first. @throws {ServerError} `assistant_not_found` */
  async versions(assistant_id: string): Promise<AssistantVersion[]> {
    const found = await this.get(assistant_id);
    if (this.#own.has(found.assistant_id)) {
      const { updated_at: _, ...version } = found;
      return [version];
    }
    return this.#parts.saved.versions(found.assistant_id);
  }

  /** Lets another version count. @throws {ServerError} */
  async setLatest(assistant_id: string, version: number): Promise<Assistant> {
    const found = await this.get(assistant_id);
    const isOwn = this.#own.has(found.assistant_id);
    const { saved, clock } = this.#parts;
    const isThere = isOwn ? version === 1 : await saved.choose(found.assistant_id, version, isoTime(clock));
    if (!isThere)
      throw new ServerError(
        "version_not_found",
        `The assistant "${found.assistant_id}" has no version ${version}.`,
      );
    return this.get(found.assistant_id);
  }

  async #changeable(assistant_id: string): Promise<Assistant> {
    const found = await this.get(assistant_id);
    if (!this.#own.has(found.assistant_id)) return found;
    const message =
      `"${found.assistant_id}" is the assistant that the graph "${found.graph_id}" has by itself. It cannot be ` +
      "changed or deleted. Create one of your own.";
    throw new ServerError("system_assistant", message);
  }

  async #check(saying: Saying): Promise<void> {
    this.#parts.graphs.assertServed(saying.graph_id);
    await this.#parts.check(saying);
  }

  #ownOf(assistant_id: string): Assistant | undefined {
    return [...this.#own.values()].find(
      (one) => one.graph_id === assistant_id || one.assistant_id === assistant_id.toLowerCase(),
    );
  }
}

/** What was stated, without the keys that were left out. */
function said(stated: Stated): Partial<Saying> {
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined));
}

function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
