import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { Minutes, Strategy, type Ttl } from "../keeping/ttl.ts";
import { StartError } from "../start-error.ts";

/** How long threads are kept, as LangGraph's own servers read it. How often it is looked is this server's matter. */
const Checkpointer = z.looseObject({
  ttl: z.looseObject({ default_ttl: Minutes.nullish(), strategy: Strategy.nullish() }).nullish(),
});

const Config = z.looseObject({
  graphs: z
    .record(z.string().regex(/^[\w.-]{1,100}$/), z.union([z.string(), z.looseObject({ path: z.string() })]))
    .refine((graphs) => Object.keys(graphs).length > 0, "names no graph"),
  env: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  checkpointer: Checkpointer.nullish(),
});

/** Where a graph is: which export of which file. */
export interface GraphPlace {
  graph_id: string;
  file: string;
  name: string;
  /** The key in the config, for messages. */
  key: string;
}

/** A `langgraph.json` that was read. */
export interface LanggraphConfig {
  path: string;
  graphs: GraphPlace[];
  env: Record<string, string>;
  /** How long a thread is kept that says nothing itself; `null`: until it is deleted. */
  ttl: Ttl | null;
}

/**
 * Reads a `langgraph.json`: `{ graphs: { id: "./file.ts:export" }, env: ".env" | { … }, checkpointer: { ttl } }`. Other keys are other
 * servers' business: `http.app` among them, which mounts in those what this server has by itself.
 *
 * @throws {StartError} `bad_config`
 */
export async function readLanggraphConfig(file: string): Promise<LanggraphConfig> {
  const path = resolve(file);
  const parsed = Config.safeParse(parse(path, await read(path)));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw bad(path, `"${issue?.path.map(String).join(".") ?? ""}": ${issue?.message ?? "is not valid"}`);
  }
  const { graphs, env, checkpointer } = parsed.data;
  const { default_ttl = null, strategy } = checkpointer?.ttl ?? {};
  const folder = dirname(path);
  return {
    path,
    graphs: Object.entries(graphs).map((entry) => placeOf(path, folder, entry)),
    env: await envOf(path, folder, env),
    ttl: default_ttl === null ? null : { ttl: default_ttl, strategy },
  };
}

function placeOf(
  path: string,
  folder: string,
  [graph_id, spec]: [string, string | { path: string }],
): GraphPlace {
  const key = `graphs.${graph_id}`;
  const text = typeof spec === "string" ? spec : spec.path;
  const match = /^(.+?)(?::([A-Za-z_$][\w$]*))?$/.exec(text);
  if (!match?.[1]) throw bad(path, `"${key}" is "${text}"; write it as "./file.ts:export"`);
  return { graph_id, file: resolve(folder, match[1]), name: match[2] ?? "default", key };
}

async function envOf(
  path: string,
  folder: string,
  env: string | Record<string, string> | undefined,
): Promise<Record<string, string>> {
  if (typeof env !== "string") return env ?? {};
  try {
    return parseEnv(await readFile(resolve(folder, env), "utf8")) as Record<string, string>;
  } catch (cause) {
    // A template names a file that each user makes; who has none needs none.
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new StartError("bad_config", `${path}: "env" names "${env}", which cannot be read.`, { cause });
  }
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new StartError("bad_config", `${path} cannot be read. Give the path of a langgraph.json.`, {
      cause,
    });
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StartError("bad_config", `${path} is no valid JSON: ${(cause as Error).message}`, { cause });
  }
}

function bad(path: string, what: string): StartError {
  return new StartError("bad_config", `${path}: ${what}.`);
}
