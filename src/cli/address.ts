import { usageError } from "./cli-error.ts";

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 4100;

/** Where the server is: `COUNTERSIGN_URL`, else the local one at `COUNTERSIGN_HOST` and `COUNTERSIGN_PORT`. */
export function serverAddress(env: NodeJS.ProcessEnv = process.env): URL {
  const given = env["COUNTERSIGN_URL"];
  if (given !== undefined && given !== "") {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw usageError(`COUNTERSIGN_URL is "${given}", which is no http or https URL.`);
    }
    return url;
  }
  const host = env["COUNTERSIGN_HOST"] ?? DEFAULT_HOST;
  const port = readPort(env["COUNTERSIGN_PORT"] ?? String(DEFAULT_PORT), "COUNTERSIGN_PORT");
  return new URL(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
}

/** A port from text. @throws {CliError} `usage`, naming where it was given. */
export function readPort(text: string, source: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw usageError(`${source} is "${text}", which is no port; give a number from 0 to 65535.`);
}

/** Whether only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}
