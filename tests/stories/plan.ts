/** One reply of the scripted model. `$text` in it becomes what the user said. */
export interface Reply {
  content?: string;
  tool_calls?: { name: string; args: Record<string, unknown>; id: string }[];
}

/** What a process of a story is started with, as JSON in the environment variable `STORY`. */
export interface Plan {
  /** Where `effects.log` is. */
  folder: string;
  store: string;
  /** The replies, by what the user said; `*` for all else. */
  scripts: Record<string, Reply[]>;
  policy?: unknown;
  /** What its graph is called. Default: `agent`. */
  graph?: string;
  /** Where to listen; without it wherever there is room. */
  port?: number;
  /** Where approvals are told. */
  notices?: { url: string; secret?: string }[];
  /** The moments to stop at, each once. */
  holds: string[];
}

/** A turn that calls tools, each as its name and its path. The id of a call names its path. */
export function calls(...wanted: [name: string, path: string][]): Reply {
  return { tool_calls: wanted.map(([name, path]) => ({ name, args: { path }, id: `call_${path}` })) };
}

export const says = (content: string): Reply => ({ content });
