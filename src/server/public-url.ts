import { StartError } from "./start-error.ts";

/**
 * Reads the address under which people reach a server, for links to it.
 *
 * @throws {StartError} `bad_public_url`
 */
export function readPublicUrl(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : null;
  const isPlain =
    address !== null &&
    /^https?:$/.test(address.protocol) &&
    address.search + address.hash + address.username + address.password === "";
  if (isPlain) return address.href.replace(/\/+$/, "");
  const shown = JSON.stringify(url.slice(0, 200));
  throw new StartError(
    "bad_public_url",
    `${shown} is not where people reach a server: give one like https://approvals.example.com.`,
  );
}
