import { truthOf, type Truth } from "./truth.ts";

const LONGEST_URL = 16_384;

/** A host of a policy: `name` exactly, or everything below it; with a port, only that port. */
export interface HostPattern {
  name: string;
  below: boolean;
  port: string | undefined;
}

/**
 * Reads `"example.com"`, `"*.example.com"` (what lies below, not the name itself) or `"localhost:8080"`.
 *
 * @throws {SyntaxError} when it is no host
 */
export function parseHost(text: string): HostPattern {
  const below = text.startsWith("*.");
  const rest = below ? text.slice(2) : text;
  const url = /^[^\s*/\\?#@%]+$/.test(rest) ? readUrl(`http://${rest}`) : undefined;
  if (url === undefined || url.hostname === "") {
    throw new SyntaxError('must be a host like "example.com", "*.example.com" or "localhost:8080"');
  }
  const port = /:([0-9]+)$/.exec(rest.replace(/^\[.*\]/, ""))?.[1];
  return { name: bareHost(url), below, port };
}

/** Whether the host of an absolute http or https URL is the one of the pattern; unknown when it is no such URL. */
export function matchHost(pattern: HostPattern, text: string): Truth {
  if (text.length > LONGEST_URL) return "unknown";
  // Programs disagree on URLs with a user part, backslashes, spaces, escapes in the host or a third slash; whoever
  // fetches could then go to another host than the one read here.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || /[@\\%]/.test(authority) || /[\s\u0000-\u001f\u007f\\]/.test(text))
    return "unknown";
  const url = readUrl(text);
  if (url === undefined) return "unknown";
  const name = bareHost(url);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (pattern.port !== undefined && pattern.port !== port) return "false";
  return truthOf(pattern.below ? name.endsWith(`.${pattern.name}`) : name === pattern.name);
}

function bareHost(url: URL): string {
  return url.hostname.replace(/\.$/, "");
}

function readUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
