import { Duplex } from 'node:stream';
import type { MessageSocket } from '../../../transport/contract/message-socket.ts';
import { ChannelStreams, passOn } from '../pod/channel-streams.ts';
import { portFailure } from '../pod/explain-pod-failure.ts';
import type { PodCall, PodRequests } from '../pod/pod-requests.ts';

/** The subprotocol of ports. @see k8s.io/kubelet pkg/cri/streaming/portforward @ v0.36.3 */
export const PORT_PROTOCOLS: readonly string[] = ['v4.channel.k8s.io'];

const CHANNEL = { data: 0, error: 1 } as const;
/** The first message of each channel is the number of the port. */
const HEAD_BYTES = 2;
const LONGEST_WORDS = 4096;

export interface PortConnectionOptions {
  readonly socket: MessageSocket;
  readonly requests: PodRequests;
  readonly call: PodCall;
  readonly port: number;
}

/**
 * One connection to a port of a pod, over a WebSocket of its own.
 *
 * The subprotocol has no half-close: `end` sends nothing, and the pod sees the end when the connection is closed. The end of the pod ends
 * both sides.
 */
export function portConnection({ socket, requests, call, port }: PortConnectionOptions): Duplex {
  const streams = new ChannelStreams(socket);
  const incoming = streams.readable(CHANNEL.data);
  let head = HEAD_BYTES;
  const duplex = new Duplex({
    read: () => void incoming.resume(),
    write: (chunk: Uint8Array, _encoding, done) => {
      void passOn(streams.send(CHANNEL.data, chunk), done);
    },
    final: (done) => done(),
    destroy: (error, done) => {
      incoming.destroy();
      socket.end();
      done(error);
    },
  });
  // A failure reaches who reads, writes or pipes; it does not end the process.
  duplex.on('error', () => {});
  incoming.on('data', (bytes: Buffer) => {
    const content = bytes.subarray(Math.min(head, bytes.length));
    head -= bytes.length - content.length;
    if (content.length > 0 && !duplex.push(content)) incoming.pause();
  });
  incoming.on('end', () => void duplex.push(null));
  let words = '';
  let errorHead = HEAD_BYTES;
  streams.onMessage(CHANNEL.error, (bytes) => {
    const content = bytes.subarray(Math.min(errorHead, bytes.length));
    errorHead -= bytes.length - content.length;
    if (words.length < LONGEST_WORDS) words += content.toString('utf8');
  });
  const fail = async (error: unknown): Promise<void> => {
    duplex.destroy((await requests.explain(error, call)) as Error);
  };
  streams.start((error) => {
    if (words !== '') duplex.destroy(portFailure(words, port, requests.request(call)));
    else if (error !== undefined) void fail(error);
    else {
      streams.end();
      duplex.end();
    }
  });
  return duplex;
}
