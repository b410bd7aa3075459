import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { isGraph, unwrap, type GraphSource } from "./graphs.ts";
import { readLanggraphConfig, type GraphPlace } from "./langgraph-config.ts";
import type { Ttl } from "../keeping/ttl.ts";
import { StartError } from "../start-error.ts";

/** What a `langgraph.json` lets a server serve. */
export interface Served {
  sources: Record<string, GraphSource>;
  /** How long a thread is kept that says nothing itself; `null`: until it is deleted. */
  ttl: Ttl | null;
}

/**
 * Loads the graphs that a `langgraph.json` names, TypeScript ones too. Its `env` is set first, without replacing what
 * is set already.
 *
 * @throws {StartError} that names the file, the key and what is wrong.
 */
export async function loadGraphs(file: string): Promise<Served> {
  const config = await readLanggraphConfig(file);
  for (const [name, value] of Object.entries(config.env)) process.env[name] ??= value;
  if (config.graphs.some((place) => /\.[cm]?tsx?$/.test(place.file))) await readTypeScript();
  const sources: Record<string, GraphSource> = {};
  for (const place of config.graphs) sources[place.graph_id] = await load(config.path, place);
  return { sources, ttl: config.ttl };
}

let isReading = false;

/** Lets this process import TypeScript, unless something lets it already. */
async function readTypeScript(): Promise<void> {
  if (isReading || import.meta.url.endsWith(".ts")) return;
  isReading = true;
  const [esm, cjs] = await Promise.all([import("tsx/esm/api"), import("tsx/cjs/api")]);
  esm.register();
  // A folder that does not say `"type": "module"` has its files read this way.
  cjs.register();
}

async function load(path: string, place: GraphPlace): Promise<GraphSource> {
  const { file, name, key } = place;
  const isThere = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isThere) throw failed(path, key, `the file ${file} is not there`);
  const module = await attempt(
    path,
    key,
    () => import(pathToFileURL(file).href) as Promise<Record<string, unknown>>,
  );
  const exported = module[name] ?? (module["default"] as Record<string, unknown> | undefined)?.[name];
  if (exported === undefined) {
    const names = Object.keys(module).join(", ") || "none";
    throw failed(path, key, `${file} has no export "${name}" (it has: ${names})`);
  }
  if (typeof exported === "function") {
    // Made once now, so that what is wrong with it is known before the server listens.
    const made = await attempt(path, key, async () =>
      unwrap(await (exported as (config: object) => unknown)({ configurable: {} })),
    );
    if (!isGraph(made))
      throw failed(path, key, `the function "${name}" of ${file} returns no compiled graph`);
    return exported as GraphSource;
  }
  const graph = await attempt(path, key, async () => unwrap(await (exported as Promise<unknown>)));
  if (!isGraph(graph)) throw failed(path, key, `"${name}" of ${file} is no compiled graph and no function`);
  return graph;
}

async function attempt<Result>(path: string, key: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const code =
      (cause as { code?: unknown } | null)?.code === "invalid_policy"
        ? "invalid_policy"
        : "graph_load_failed";
    throw new StartError(code, `${path}: "${key}" cannot be loaded: ${message}`, { cause });
  }
}

function failed(path: string, key: string, what: string): StartError {
  return new StartError("graph_load_failed", `${path}: "${key}" cannot be loaded: ${what}.`);
}
