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
import { bytesOf, channelAnswer, CHANNELS_V4, CHANNELS_V5 } from './channel-upgrade.ts';
import { flag } from './pod-log-bytes.ts';

/** Where bytes for the client go. */
export interface PodOutput {
  /**
   * Resolves when the client has room for more. A text is sent as UTF-8. Bytes must not change before. An error that is not awaited is
   * ignored.
   * @throws {ListwatchError} code ABORTED when the client has gone; TIMEOUT when it reads nothing for 30 s; BUFFER_FULL when more than
   * 16 MiB wait for it.
   */
  write(data: Uint8Array | string): Promise<void>;
}

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The streams between a client and a container. */
export interface PodStreams {
  readonly pod: UnstructuredObject;
  /** The container that was named, or the only one, or the default one of the pod. */
  readonly container: string;
  /**
   * The input of the client; empty if it sends none. With the subprotocol `v4.channel.k8s.io` it ends only with the connection. More
   * than 64 KiB are not read ahead of the handler.
   */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Writes are dropped if the client did not request this stream. */
  readonly stdout: PodOutput;
  /** With a terminal the same as `stdout`. */
  readonly stderr: PodOutput;
  /** Whether the client has a terminal. */
  readonly tty: boolean;
  /** The sizes of the terminal. A reader that is late gets the newest one only. */
  readonly resize: AsyncIterable<TerminalSize>;
  /** Aborts when the client has gone, or the server closes. */
  readonly signal: AbortSignal;
}

export interface PodExecRequest extends PodStreams {
  /** The program and its arguments. */
  readonly command: readonly string[];
}

export type PodAttachRequest = PodStreams;

interface StreamOptions {
  readonly request: ContainerRequest;
  readonly logger: Logger;
}

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
const PROTOCOLS = [CHANNELS_V5, CHANNELS_V4];
const SUCCESS = { metadata: {}, status: 'Success' };
const DROPPED: PodOutput = { write: () => Promise.resolve() };

/** @throws {ApiError} 400. */
export function answerExec({
  request,
  exec,
  logger,
}: StreamOptions & {
  readonly exec: (request: PodExecRequest) => number | Promise<number>;
}): ConnectAnswer {
  const command = request.request.query.getAll('command');
  return answerStreams({
    request,
    logger,
    failed: 'error executing command in container',
    use: async (streams) => exitStatus(command, await exec({ ...streams, command })),
  });
}

/** @throws {ApiError} 400. */
export function answerAttach({
  request,
  attach,
  logger,
}: StreamOptions & {
  readonly attach: (request: PodAttachRequest) => void | Promise<void>;
}): ConnectAnswer {
  return answerStreams({
    request,
    logger,
    failed: 'error attaching to container',
    use: async (streams) => {
      await attach(streams);
      return SUCCESS;
    },
  });
}

interface UsedStreams extends StreamOptions {
  /** The beginning of the message for an error. */
  readonly failed: string;
  /** Returns the Status for the client. */
  readonly use: (streams: PodStreams) => Promise<object>;
}

function answerStreams({ request, logger, failed, use }: UsedStreams): ConnectAnswer {
  const { query } = request.request;
  const run = async (connection: ChannelConnection, wanted: WantedStreams): Promise<void> => {
    const { signal } = connection;
    const streams = streamsOf(request, connection, wanted);
    let status: object;
    try {
      // Clients wait for a first message before they send.
      const first = wanted.stdout ? CHANNEL.stdout : wanted.stderr ? CHANNEL.stderr : CHANNEL.error;
      await connection.send(first, new Uint8Array());
      status = await use(streams);
    } catch (error) {
      if (signal.aborted) return;
      const message = `${failed}: ${errorMessage(error)}`;
      const { name, namespace } = request.pod.metadata ?? {};
      logger.error('a handler of pods failed', { namespace, name, error: message });
      status = internalStatus(message);
    }
    if (!signal.aborted) await connection.send(CHANNEL.error, bytesOf(JSON.stringify(status)));
  };
  const prepare = (): ChannelUpgrade['run'] => {
    const wanted = wantedStreams(query);
    return (connection) => run(connection, wanted);
  };
  return channelAnswer({ request: request.request, protocols: PROTOCOLS, prepare });
}

interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** @throws {ApiError} 400. */
function wantedStreams(query: URLSearchParams): WantedStreams {
  const tty = flag(query, 'tty');
  const [stdin, stdout] = [flag(query, 'stdin'), flag(query, 'stdout')];
  // A terminal has one output.
  const stderr = flag(query, 'stderr') && !tty;
  if (stdin || stdout || stderr) return { stdin, stdout, stderr, tty };
  throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
}

function streamsOf(
  { pod, container }: ContainerRequest,
  connection: ChannelConnection,
  wanted: WantedStreams,
): PodStreams {
  const { signal } = connection;
  const output = (channel: number): PodOutput => ({
    write: (data) => connection.send(channel, bytesOf(data)),
  });
  const stdout = wanted.stdout ? output(CHANNEL.stdout) : DROPPED;
  const separate = wanted.stderr ? output(CHANNEL.stderr) : DROPPED;
  return {
    pod,
    container,
    stdin: wanted.stdin ? connection.incoming(CHANNEL.stdin) : nothing(),
    stdout,
    stderr: wanted.tty ? stdout : separate,
    tty: wanted.tty,
    resize: wanted.tty ? terminalSizes(connection) : nothing(),
    signal,
  };
}

async function* nothing(): AsyncGenerator<never> {}

/** Keeps the newest size until it is read. */
function terminalSizes(connection: ChannelConnection): AsyncIterable<TerminalSize> {
  const { signal } = connection;
  let newest: TerminalSize | undefined;
  let wake = (): void => {};
  connection.onMessage(CHANNEL.resize, (message) => {
    newest = sizeOf(message) ?? newest;
    wake();
  });
  signal.addEventListener('abort', () => {
    wake();
  });
  return {
    async *[Symbol.asyncIterator]() {
      while (newest !== undefined || !signal.aborted) {
        const size = newest;
        newest = undefined;
        if (size !== undefined) yield size;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}

/** Undefined for a message that is no size: it is ignored, as by a kubelet. */
function sizeOf(message: Uint8Array): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(Buffer.from(message).toString()) as Record<
      string,
      unknown
    >;
    return typeof Width === 'number' && typeof Height === 'number'
      ? { width: Width, height: Height }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The Status for an exit code. @see k8s.io/kubelet pkg/cri/streaming/remotecommand/exec.go @ v0.36.3 */
function exitStatus(command: readonly string[], code: number): object {
  if (!Number.isInteger(code) || code < 0 || code > 255) {
    throw new TypeError(
      `the handler "exec" must return an exit code of 0 to 255, not ${String(code)}`,
    );
  }
  if (code === 0) return SUCCESS;
  const cause = `error executing command [${command.join(' ')}], exit code ${code}`;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: ${cause}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

function internalStatus(message: string): object {
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
}
