/** JSON that tests look into freely: what it holds is what is tested. */
export interface Json {
  [key: string]: Json;
  [index: number]: Json;
}

export const listOf = (json: Json | [] | undefined): Json[] => json as unknown as Json[];
export const textOf = (json: Json | undefined): string => json as unknown as string;

export interface Answer {
  status: number;
  body: Json;
}

export interface Http {
  url: string;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** A client as simple as curl. */
export function httpOf(url: string): Http {
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as Json };
  };
  return {
    url,
    get: (path) => send("GET", path),
    post: (path, body) => send("POST", path, body),
    delete: (path) => send("DELETE", path),
  };
}
