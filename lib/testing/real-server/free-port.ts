import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Ports that are free on loopback, each another one. Another process may take one before it is used. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  // All are held until all are known, so that none is given twice.
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    servers.map(async (server) => {
      server.close();
      await once(server, 'close');
    }),
  );
  return ports;
}
