import { BlockList, isIP } from "node:net";

/** IPv4 that is nobody's on the internet: private, shared, loopback, link-local, reserved, multicast. */
const RESERVED: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** What lies within the global IPv6 addresses and is none, or leads to an IPv4 address: Teredo, 6to4, examples. */
const RESERVED_V6: readonly [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const reserved = new BlockList();
for (const [network, bits] of RESERVED) reserved.addSubnet(network, bits, "ipv4");
for (const [network, bits] of RESERVED_V6) reserved.addSubnet(network, bits, "ipv6");

// Everything else, loopback, mapped IPv4, NAT64, unique-local, link-local and multicast among it, is outside of these.
const global = new BlockList();
global.addSubnet("2000::", 3, "ipv6");

/** Whether an IP address is one of the public internet. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reserved.check(address, "ipv4");
    case 6:
      return global.check(address, "ipv6") && !reserved.check(address, "ipv6");
    default:
      return false;
  }
}
