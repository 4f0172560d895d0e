import type { Socket } from 'node:net';
import { onAbort } from '../../../kernel/time/abort.ts';

/**
 * Resolves when a socket has emitted `event`. Destroys it when the signal aborts first.
 * @throws the error of the socket; an error with the code ECONNRESET when the other side closed it; the signal's reason.
 */
export function untilConnected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => {
      socket.destroy();
      reject(signal.reason as Error);
    });
    const settle = (error?: Error): void => {
      release();
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.once(event, () => settle());
    socket.on('error', settle);
    socket.once('close', () => {
      const closed = new Error('the other side closed the connection');
      settle(Object.assign(closed, { code: 'ECONNRESET' }));
    });
  });
}
