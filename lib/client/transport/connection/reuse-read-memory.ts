import type { Agent } from 'node:http';
import type { OnReadOpts } from 'node:net';

/** The most bytes of one read of a socket. */
const READ_BYTES = 128 * 1024;

/**
 * Makes the connections of an agent read into one reused buffer.
 *
 * Node allocates memory for each read, and the HTTP parser copies the part that belongs to a body. With a reused buffer only
 * half as much memory is allocated, and the garbage collector runs half as often.
 *
 * A listener of `data` must not use the bytes after it has returned; Node's HTTP parser does not. If the runtime calls back in
 * another way than Node, the bytes are copied for each read.
 */
export function reuseReadMemory<A extends Agent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const reading: { readonly onread: OnReadOpts } = {
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback(this: unknown, length: number, buffer: Uint8Array): boolean {
          const read = buffer.subarray(0, length);
          // Bun passes no socket here. Its HTTP parser may not copy, so it gets a new buffer for each read, as without `onread`.
          socket?.emit('data', this === socket ? read : Buffer.from(read));
          return true;
        },
      },
    };
    const socket = connect({ ...options, ...reading }, callback);
    return socket;
  };
  return agent;
}
