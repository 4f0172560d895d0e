import type { Socket } from 'node:net';
import { closedByProxy } from './proxy-problem.ts';

export interface ParsedAnswer<T> {
  readonly value: T;
  /** The bytes of the answer; those that follow belong to the tunnel. */
  readonly usedBytes: number;
}

/** Reads an answer from the bytes so far. Undefined: it is not complete. Throws for bytes that cannot become an answer. */
export type ParseAnswer<T> = (bytes: Buffer) => ParsedAnswer<T> | undefined;

/**
 * Reads one answer of a proxy, however it was cut into pieces, and leaves the bytes behind it in the socket.
 *
 * `parse` is called again with each piece, so it refuses answers that are too long. Rejects with the error of the socket, and
 * with a `ProxyProblem` when the connection ends before the answer does. No listener is left.
 */
export function readAnswer<T>(socket: Socket, parse: ParseAnswer<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = (): void => {
      socket.off('readable', read).off('error', fail).off('end', ended).off('close', ended);
    };
    const fail = (error: unknown): void => {
      stop();
      reject(error);
    };
    const ended = (): void => {
      const when = bytes.length === 0 ? 'without an answer' : 'within its answer';
      fail(closedByProxy(when));
    };
    const read = (): void => {
      for (;;) {
        const piece = socket.read() as Buffer | null;
        if (piece === null) return;
        bytes = bytes.length === 0 ? piece : Buffer.concat([bytes, piece]);
        let answer: ParsedAnswer<T> | undefined;
        try {
          answer = parse(bytes);
        } catch (error) {
          fail(error);
          return;
        }
        if (answer !== undefined) {
          stop();
          if (answer.usedBytes < bytes.length) socket.unshift(bytes.subarray(answer.usedBytes));
          resolve(answer.value);
          return;
        }
      }
    };
    if (socket.destroyed || socket.readableEnded) {
      ended();
      return;
    }
    socket.on('readable', read).on('error', fail).on('end', ended).on('close', ended);
    read();
  });
}
