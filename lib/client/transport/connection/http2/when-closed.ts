import type { Duplex } from 'node:stream';

/** Resolves when a connection that is being destroyed has closed. */
export function whenClosed(socket: Duplex): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => {
    socket.once('close', resolve);
  });
}
