import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A line to a server that can be cut, and laid to another one, until the end of the test. */
export interface Proxy {
  url: string;
  cut: () => void;
  layTo: (target: string) => void;
}

export async function proxyTo(target: string): Promise<Proxy> {
  let { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  const layTo = (other: string): void => {
    ({ hostname, port } = new URL(other));
  };
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cut, layTo };
}
