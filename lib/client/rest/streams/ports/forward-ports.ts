import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { onAbort } from '../../../../kernel/time/abort.ts';
import { errorMessage, ListwatchError } from '../../../../kernel/failure/errors.ts';
import { guardedCall } from '../../../../kernel/failure/guarded-call.ts';
import type { Logger } from '../../../../kernel/report/logger.ts';
import { is, optionsOf, type OptionsSchema } from '../../../../kernel/options/options-schema.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { checkPort, CONNECT, type StreamOptions } from '../pod/pod-stream-options.ts';

/** A port of the pod, and where it is reached on this machine. */
export interface ForwardedPort {
  readonly remote: number;
  readonly local: number;
}

export interface PortForwardOptions extends StreamOptions {
  /** The port of the pod. It excludes `ports`. */
  readonly port?: number | undefined;
  /** Where `port` is reached. @defaultValue 0: a free port */
  readonly localPort?: number | undefined;
  /** Several ports of the pod; one that is a number gets a free local port. */
  readonly ports?: readonly (number | ForwardedPort)[] | undefined;
  /** The address to listen on. Others than 127.0.0.1 and ::1 let other machines in. @defaultValue '127.0.0.1' */
  readonly bind?: string | undefined;
  /** The most connections at a time to each port; further ones are refused. @defaultValue 1024 */
  readonly maxConnections?: number | undefined;
  /**
   * How long the pod may send nothing after a local program has ended its side, milliseconds: the end cannot be passed on.
   * @defaultValue 30 000
   */
  readonly halfCloseMs?: number | undefined;
  /** Called with the failure of a connection, whose local side is reset. @defaultValue a warning to the logger */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const PORT_FORWARD: OptionsSchema<
  PortForwardOptions,
  'deadPeerMs' | 'maxConnections' | 'halfCloseMs'
> = optionsOf<PortForwardOptions>()('portForward', {
  ...CONNECT.rules,
  port: is.anything(),
  localPort: is.anything(),
  ports: is.rule<readonly (number | ForwardedPort)[]>('an array', Array.isArray),
  bind: is.text(),
  maxConnections: is.integer({ min: 1 }).default(1024),
  halfCloseMs: is.number({ min: 0 }).default(30_000),
  onError: is.callback(),
});

/** Local ports that lead to a pod, until it is closed or its signal aborts. */
export interface PortForward extends AsyncDisposable {
  readonly ports: readonly ForwardedPort[];
  /** The local port of the first one. */
  readonly localPort: number;
  /** The number of open connections. */
  readonly connections: number;
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
}

interface Parts {
  readonly options: PortForwardOptions;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Opens a connection to a port of the pod. */
  readonly dial: (port: number, signal: AbortSignal) => Promise<Duplex>;
}

const OWNER = 'portForward';

/** @throws {ListwatchError} code INVALID_OPTION, PORT_IN_USE, LISTEN_FAILED; the signal's reason. */
export async function forwardPorts(parts: Parts): Promise<PortForward> {
  const wanted = wantedPorts(parts.options);
  const forward = new LocalPorts(parts);
  try {
    for (const port of wanted) await forward.listen(port);
  } catch (error) {
    await forward.close();
    throw error;
  }
  return forward;
}

class LocalPorts implements PortForward {
  readonly ports: ForwardedPort[] = [];
  readonly #parts: Parts;
  readonly #halfCloseMs: number;
  readonly #maxConnections: number;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #abort = new AbortController();
  readonly #release: () => void;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { maxConnections, halfCloseMs, signal } = PORT_FORWARD.read(parts.options);
    this.#maxConnections = maxConnections;
    this.#halfCloseMs = halfCloseMs;
    this.#release = onAbort(signal, () => void this.close());
  }

  get localPort(): number {
    return this.ports[0]?.local ?? 0;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async listen({ remote, local }: ForwardedPort): Promise<void> {
    this.#parts.options.signal?.throwIfAborted();
    const host = this.#parts.options.bind ?? '127.0.0.1';
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      void this.#serve(socket, remote);
    });
    server.maxConnections = this.#maxConnections;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(listenError(error, `${host}:${local}`)));
      server.listen({ host, port: local }, resolve);
    });
    server.on('error', (error) => this.#report(error));
    this.#servers.push(server);
    this.ports.push({ remote, local: (server.address() as AddressInfo).port });
  }

  async close(): Promise<void> {
    this.#release();
    this.#abort.abort(new ListwatchError('CLOSED', 'the port forward was closed by its owner'));
    const closed = this.#servers
      .splice(0)
      .map((server) => new Promise<void>((resolve) => void server.close(() => resolve())));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Passes bytes both ways until the pod ends, or the local side is closed. */
  async #serve(socket: Socket, port: number): Promise<void> {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    const dialing = new AbortController();
    const release = onAbort(this.#abort.signal, () => dialing.abort(this.#abort.signal.reason));
    const gone = (): void =>
      dialing.abort(new ListwatchError('CLOSED', 'the local program has gone'));
    socket.once('close', gone);
    socket.once('close', () => {
      release();
      this.#sockets.delete(socket);
    });
    try {
      const pod = await this.#parts.dial(port, dialing.signal);
      socket.off('close', gone);
      if (socket.destroyed) pod.destroy();
      else this.#join(socket, pod);
    } catch (error) {
      if (!dialing.signal.aborted) this.#report(error);
      socket.resetAndDestroy();
    }
  }

  #join(socket: Socket, pod: Duplex): void {
    socket.once('end', () => this.#watchSilence(socket, pod));
    socket.once('close', () => pod.destroy());
    pipeline(pod, socket, (error) => {
      if (error == null) return;
      if (pod.errored !== null && !this.#abort.signal.aborted) this.#report(pod.errored);
      socket.resetAndDestroy();
    });
    // The end of the local side is not passed on.
    socket.pipe(pod, { end: false });
    socket.resume();
  }

  /** Closes a connection whose local side has ended and whose pod sends nothing. */
  #watchSilence(socket: Socket, pod: Duplex): void {
    if (this.#halfCloseMs === Infinity) return;
    let bytes = socket.bytesWritten;
    const look = (): void => {
      if (socket.destroyed) return;
      if (socket.bytesWritten === bytes) pod.destroy();
      bytes = socket.bytesWritten;
      timer = this.#parts.runtime.setTimer(this.#halfCloseMs, look);
    };
    let timer = this.#parts.runtime.setTimer(this.#halfCloseMs, look);
    socket.once('close', () => timer.cancel());
  }

  #report(error: unknown): void {
    const { options, logger } = this.#parts;
    const warn = (failure: unknown): void =>
      logger.warn('a forwarded connection failed', { error: errorMessage(failure) });
    const { onError = warn } = options;
    guardedCall(() => onError(error), warn);
  }
}

/** @throws {ListwatchError} code INVALID_OPTION. */
function wantedPorts({ port, localPort, ports }: PortForwardOptions): readonly ForwardedPort[] {
  if ((port === undefined) === (ports === undefined) || ports?.length === 0) {
    throw new ListwatchError('INVALID_OPTION', `${OWNER}: give either option "port" or "ports"`);
  }
  const wanted: readonly (number | ForwardedPort)[] = ports ?? [
    { remote: port as number, local: localPort ?? 0 },
  ];
  return wanted.map((one) => {
    const { remote, local } = typeof one === 'object' ? one : { remote: one, local: 0 };
    checkPort(OWNER, remote);
    checkPort(OWNER, local, 0);
    return { remote, local };
  });
}

function listenError(error: NodeJS.ErrnoException, address: string): ListwatchError {
  const inUse = error.code === 'EADDRINUSE';
  const problem = inUse
    ? `${OWNER}: ${address} is taken by another process; choose another localPort, or 0 for a free one`
    : `${OWNER}: cannot listen on ${address}: ${error.message}; correct the option "bind"`;
  return new ListwatchError(inUse ? 'PORT_IN_USE' : 'LISTEN_FAILED', problem, { cause: error });
}
