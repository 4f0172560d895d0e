import type { Socket } from 'node:net';
import type { DoctorContext } from '../contract/step.ts';
import { endpointOf } from './endpoint.ts';
import { untilConnected } from './open-socket.ts';

/** A connection to the server without TLS, through the proxy if there is one. The caller destroys it. */
export async function openConnection({
  findings,
  network,
  options,
  runtime,
  signal,
}: DoctorContext): Promise<Socket> {
  const { host, port } = endpointOf(findings.found);
  const { proxy } = findings.found;
  if (proxy !== undefined) {
    const connectMs = options.timeoutMs;
    return await network.tunnel(proxy, { host, port }, { runtime, connectMs, signal });
  }
  const socket = network.connect(host, port);
  try {
    await untilConnected(socket, 'connect', signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
