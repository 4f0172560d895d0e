import type { Agent, AgentOptions } from 'node:http';
import { connect, type ClientHttp2Session } from 'node:http2';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { onAbort } from '../../../../kernel/time/abort.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { notConnectedInTime } from '../cause/not-connected-in-time.ts';

/** The bytes that a server may send on one stream, and on all of a session, before they are read. */
const STREAM_WINDOW_BYTES = 256 * 1024;
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024;
/** The largest headers of an answer, as for HTTP/1.1 (`--max-http-header-size` of Node). */
const LARGEST_HEADERS_BYTES = 16 * 1024;
/** The largest headers of a request, with its path: as much as an API server of Go accepts. */
const LARGEST_REQUEST_HEADERS_BYTES = 1024 * 1024;
/** Memory of a session, megabytes: its header tables and the frames that wait to be sent. */
const SESSION_MEMORY_MB = 64;

export interface Http2DialerOptions {
  /** Makes the connections, with TLS and through a proxy. Its ALPN protocols are `ALPN_PROTOCOLS`. */
  readonly agent: Agent & { readonly options?: AgentOptions };
  /** Address of the server, such as `https://10.0.0.1:6443`. */
  readonly server: URL;
  /** The host name that the certificate must have. */
  readonly serverName: string | undefined;
  /** For a connection and the settings of the server, milliseconds; `Infinity` for no limit. */
  readonly connectMs: number;
  readonly runtime: Runtime;
}

export interface DialledSession {
  readonly session: ClientHttp2Session;
  readonly socket: Duplex;
}

/**
 * Opens a session whose server has sent its settings. Undefined: the server does not speak HTTP/2.
 *
 * When it rejects, or resolves with undefined, no connection is left open.
 */
export async function dialSession(
  options: Http2DialerOptions,
  signal: AbortSignal,
): Promise<DialledSession | undefined> {
  const { server, runtime, connectMs } = options;
  const startedMs = runtime.monotonicMs();
  const secure = server.protocol === 'https:';
  const socket = await openSocket(options, secure, signal);
  if (signal.aborted || (secure && (socket as TLSSocket).alpnProtocol !== 'h2')) {
    socket.destroy();
    signal.throwIfAborted();
    return undefined;
  }
  const session = connect(server, {
    createConnection: () => socket,
    maxSessionMemory: SESSION_MEMORY_MB,
    maxSendHeaderBlockLength: LARGEST_REQUEST_HEADERS_BYTES,
    settings: {
      enablePush: false,
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxHeaderListSize: LARGEST_HEADERS_BYTES,
    },
  });
  const limitMs = connectMs - (runtime.monotonicMs() - startedMs);
  try {
    await settingsOf(session, { limitMs, connectMs, runtime, signal });
    return { session, socket };
  } catch (error) {
    // After GOAWAY Node would wait for the server to close the connection.
    socket.destroy();
    throw error;
  }
}

function openSocket(
  { agent, server, serverName }: Http2DialerOptions,
  secure: boolean,
  signal: AbortSignal,
): Promise<Duplex> {
  const host = server.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(server.port) || (secure ? 443 : 80);
  const servername = serverName ?? (isIP(host) === 0 ? host : '');
  // An agent adds its own options only to those of requests.
  const target = { ...agent.options, host, port, ...(secure ? { servername } : {}) };
  return new Promise((resolve, reject) => {
    const socket = agent.createConnection(target, (error, ready) => {
      if (error !== null && error !== undefined) reject(error);
      else if (ready !== undefined && ready !== null && ready !== socket) resolve(ready);
    });
    if (socket === undefined || socket === null) return;
    const release = onAbort(signal, () => socket.destroy());
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      release();
      resolve(socket);
    });
    socket.on('error', reject);
    socket.once('close', () => {
      release();
      reject(closedEarly());
    });
  });
}

interface SettingsLimit {
  readonly limitMs: number;
  readonly connectMs: number;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/** Resolves when the server has sent its settings. When it rejects, the session is destroyed. */
function settingsOf(
  session: ClientHttp2Session,
  { limitMs, connectMs, runtime, signal }: SettingsLimit,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const expire = (): void => session.destroy(notConnectedInTime(connectMs));
    const timer = limitMs === Infinity ? undefined : runtime.setTimer(limitMs, expire);
    const release = onAbort(signal, () => session.destroy());
    const stop = (): void => {
      timer?.cancel();
      release();
      session.off('close', closed).off('remoteSettings', done);
    };
    const done = (): void => {
      stop();
      session.setLocalWindowSize(SESSION_WINDOW_BYTES);
      resolve();
    };
    const closed = (): void => {
      stop();
      reject(signal.aborted ? (signal.reason as Error) : closedEarly());
    };
    // The first error is the one that counts.
    session.on('error', reject);
    session.once('remoteSettings', done).once('close', closed);
  });
}

function closedEarly(): Error {
  const text = 'the connection was closed before the settings of HTTP/2 had arrived';
  return Object.assign(new Error(text), { code: 'ECONNRESET' });
}
