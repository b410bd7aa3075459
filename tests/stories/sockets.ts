import { readdirSync, readlinkSync } from "node:fs";

/** How many sockets a process holds, by what Linux says. */
export function sockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      // It was closed meanwhile.
      return "";
    }
  });
  return links.filter((link) => link.startsWith("socket:")).length;
}
