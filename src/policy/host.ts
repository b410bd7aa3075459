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

// The URL parser has already turned decimal, octal and hexadecimal IPv4 addresses into the usual form, and IPv6 ones
// into their shortest; an IPv4 address inside an IPv6 one reaches the same host as the bare one.
function bareHost(url: URL): string {
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(url.hostname);
  if (mapped === null) return url.hostname.replace(/\.$/, "");
  const [high, low] = [parseInt(mapped[1] ?? "", 16), parseInt(mapped[2] ?? "", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function readUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
