import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";

/** Addresses that lead to this machine, or to the machine that it runs on, whatever its own addresses are. */
const NEAR: readonly [string, number, "ipv4" | "ipv6"][] = [
  ["0.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  // Link-local: clouds hand out the machine's own credentials there.
  ["169.254.0.0", 16, "ipv4"],
  ["::", 128, "ipv6"],
  ["::1", 128, "ipv6"],
  ["fe80::", 10, "ipv6"],
  // Other ways to write an IPv4 address: compatible, translated, 6to4.
  ["::", 96, "ipv6"],
  ["64:ff9b::", 96, "ipv6"],
  ["2002::", 16, "ipv6"],
];

/** Why a request was not sent: its address is this machine's. */
export class NearError extends Error {
  constructor(host: string) {
    super(
      `${host} is this machine, where the server listens that decides what you may do. Requests do not go there, ` +
        "unless its owner allows it.",
    );
    this.name = "NearError";
  }
}

/** Whether an address, as the system writes it, leads to this machine. */
export function isNear(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && near().check(address, version === 6 ? "ipv6" : "ipv4");
}

/** Looks names up, and refuses those that lead to this machine: it is the address that was checked that is connected to. */
export const lookupElsewhere: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, "", 0);
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isNear(address)))
      return callback(new NearError(hostname), "", 0);
    if (options.all === true) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};

// Anew each time: a machine's own addresses change.
function near(): BlockList {
  const list = new BlockList();
  for (const [net, bits, family] of NEAR) list.addSubnet(net, bits, family);
  for (const addresses of Object.values(networkInterfaces()))
    for (const { address, family } of addresses ?? [])
      list.addAddress(address.split("%")[0] ?? address, family === "IPv6" ? "ipv6" : "ipv4");
  return list;
}
