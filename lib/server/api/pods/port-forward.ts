import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ContainerRequest } from '../../registry/contract/node-connector.ts';
import type {
  ChannelConnection,
  ChannelUpgrade,
  ConnectAnswer,
} from '../../registry/contract/rest-storage.ts';
import { bytesOf, channelAnswer, CHANNELS_V4 } from './channel-upgrade.ts';
import type { PodOutput } from './container-streams.ts';

/** One connection to a port of a pod. */
export interface PodPortForwardRequest {
  readonly pod: UnstructuredObject;
  readonly port: number;
  /** The bytes from the client. It ends with the connection. More than 64 KiB are not read ahead of the handler. */
  readonly incoming: AsyncIterable<Uint8Array>;
  readonly outgoing: PodOutput;
  /** Aborts when the client has gone, or the server closes. */
  readonly signal: AbortSignal;
}

export interface PortForwardOptions {
  readonly request: ContainerRequest;
  readonly portForward: (request: PodPortForwardRequest) => void | Promise<void>;
  readonly logger: Logger;
}

/** Each port has two channels, and the number of a channel is one byte. */
const MOST_PORTS = 127;

/** The connection is closed when the handlers of all ports are done. @throws {ApiError} 400. */
export function answerPortForward({
  request,
  portForward,
  logger,
}: PortForwardOptions): ConnectAnswer {
  const { query } = request.request;
  const run = async (connection: ChannelConnection, ports: readonly number[]): Promise<void> => {
    const { pod } = request;
    const forwarded = ports.map(async (port, index) => {
      const [data, failures] = [2 * index, 2 * index + 1];
      const { signal } = connection;
      const incoming = connection.incoming(data);
      const outgoing: PodOutput = { write: (bytes) => connection.send(data, bytesOf(bytes)) };
      try {
        await connection.send(data, portNumber(port));
        await connection.send(failures, portNumber(port));
        await portForward({ pod, port, incoming, outgoing, signal });
      } catch (error) {
        if (signal.aborted) return;
        const { name = '', namespace, uid = '' } = pod.metadata ?? {};
        const message = `error forwarding port ${port} to pod ${name}, uid ${uid}: ${errorMessage(error)}`;
        logger.error('a handler of pods failed', { namespace, name, error: message });
        await connection.send(failures, bytesOf(message));
      }
    });
    await Promise.all(forwarded);
  };
  const prepare = (): ChannelUpgrade['run'] => {
    const ports = portsOf(query);
    return (connection) => run(connection, ports);
  };
  return channelAnswer({ request: request.request, protocols: [CHANNELS_V4], prepare });
}

/** @throws {ApiError} 400. */
function portsOf(query: URLSearchParams): readonly number[] {
  const texts = query.getAll('ports').flatMap((one) => one.split(','));
  if (texts.length === 0) throw badRequest('query parameter "port" is required');
  if (texts.length > MOST_PORTS) {
    throw badRequest(`at most ${MOST_PORTS} ports can be forwarded over one connection`);
  }
  return texts.map((text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535) throw badRequest(`invalid port ${JSON.stringify(text)}`);
    return port;
  });
}

/** The first message on each channel of a port. */
function portNumber(port: number): Uint8Array {
  return Uint8Array.of(port & 0xff, port >> 8);
}
