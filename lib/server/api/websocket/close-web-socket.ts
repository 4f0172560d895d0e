import type { Duplex } from 'node:stream';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { closeFrame } from './server-frames.ts';

export interface CloseOptions {
  readonly socket: Duplex;
  readonly runtime: Runtime;
  /** Maximum time for a client to close its end after the close frame, milliseconds. */
  readonly closeTimeoutMs: number;
}

/** Sends the close frame. The client closes its end after it; if it does not, the connection is destroyed. */
export function closeWebSocket(
  code: number,
  { socket, runtime, closeTimeoutMs }: CloseOptions,
): void {
  const destroy = (): void => {
    socket.destroy();
  };
  const timer = runtime.setTimer(closeTimeoutMs, destroy);
  socket.on('close', () => {
    timer.cancel();
  });
  if (socket.readableEnded) socket.on('finish', destroy);
  else socket.on('end', destroy);
  socket.end(closeFrame(code));
}
