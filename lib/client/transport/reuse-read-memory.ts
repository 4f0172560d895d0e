import type { Agent } from 'node:http';
import type { OnReadOpts } from 'node:net';

/** Most bytes that one read of a socket brings. */
const READ_BYTES = 128 * 1024;

/**
 * Has the connections of an agent read into the same memory again and again.
 *
 * Node allocates memory for each read, and the HTTP parser copies the part that belongs to a body. Without the former half as
 * much memory comes and goes, and the garbage collector, which runs when enough of it has, runs half as often.
 *
 * A listener of `data` must be done with the bytes when it returns; Node's HTTP parser is. Where the runtime does not call back
 * as Node does, the bytes are copied for each read.
 */
export function reuseReadMemory<A extends Agent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const reading: { readonly onread: OnReadOpts } = {
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback(this: unknown, length: number, buffer: Uint8Array): boolean {
          const read = buffer.subarray(0, length);
          // Bun names no socket here. Its HTTP parser is not known to copy, so it gets memory of its own, as without `onread`.
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
