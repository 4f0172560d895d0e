import { type Agent, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { type Credential, samePem } from '../contract/credential.ts';
import type { Http2SessionInspection } from '../contract/transport-inspection.ts';
import type { TlsOptions } from '../contract/tls-options.ts';
import { notePeerCertificate } from './cause/peer-certificate.ts';
import { BodyTaps } from './tap/body-tap.ts';
import { checkTlsMaterial } from './cause/tls-material.ts';
import type { Http2SessionPool } from './http2/http2-session-pool.ts';
import type { Dialer } from './proxy/dialer.ts';
import { throughDialer } from './through-dialer.ts';
import { whenClosed } from './http2/when-closed.ts';
import { notConnectedInTime } from './cause/not-connected-in-time.ts';

/** The most idle connections kept for a server (client-go rest transport cache idleConnsPerHost @ 32ce75a7). */
const IDLE_CONNECTIONS = 25;

/** The protocols of a connection for HTTP/2. With the second one, a server without HTTP/2 completes the handshake. */
const ALPN = { ALPNProtocols: ['h2', 'http/1.1'] };

export interface ConnectionPoolOptions {
  /** The server's address, such as `https://10.0.0.1:6443`. */
  readonly server: string;
  /** Whether the server speaks TLS. */
  readonly secure: boolean;
  readonly tls: Omit<TlsOptions, 'ca'>;
  /** How the server is reached. Left out: directly. */
  readonly dialer?: Dialer | undefined;
  /** The time limit for a connection with TLS, milliseconds; `Infinity` for none. */
  readonly connectMs: number;
  readonly runtime: Runtime;
  /** Called when the number of HTTP/2 sessions or of their streams has changed. */
  readonly onHttp2Change?: (() => void) | undefined;
}

type Pem = string | Buffer | undefined;

/** The purpose of an agent. */
type Use = 'requests' | 'http2' | 'upgrades';

interface TlsIdentity {
  readonly cert: Pem;
  readonly key: Pem;
  readonly ca: Pem;
}

/**
 * The connections to one server. Connections that were made with another client certificate, or that trusted other authorities,
 * serve no new request.
 *
 * Guarantees:
 * - One connection serves request after request while certificate and authorities stay the same.
 * - After a change, new requests get new connections. A request that is running, such as a watch, keeps its connection; then the
 *   connection is closed. So a rotation interrupts nothing.
 * - After `close` no connection is open.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** The bodies of streams that come past Node's parser. */
  readonly taps: BodyTaps = new BodyTaps();
  readonly #connectMs = new WeakMap<Duplex, number>();
  readonly #retired = new Set<HttpAgent>();
  readonly #retiredSessions = new Set<Http2SessionPool>();
  readonly #closing = new AbortController();
  #identity: TlsIdentity;
  #agent: HttpAgent;
  #upgrades: HttpAgent | undefined;
  /** Undefined until a request uses HTTP/2. */
  #sessions: Http2SessionPool | undefined;
  #opened = 0;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#identity = { cert: undefined, key: undefined, ca: undefined };
    this.#agent = this.#newAgent(this.#identity);
  }

  /** The number of connections made. */
  get opened(): number {
    return this.#opened;
  }

  /**
   * The agent for a request that presents `credential` and trusts `ca`.
   * @throws an Error that `connectionFailure` explains when certificate, key or authorities cannot be used.
   */
  agent(credential: Credential | undefined, ca: Pem): HttpAgent {
    if (!this.#options.secure) return this.#agent;
    const { tls } = this.#options;
    const present = credential?.cert === undefined ? tls : credential;
    const identity: TlsIdentity = { cert: asPem(present.cert), key: asPem(present.key), ca };
    if (!sameIdentity(identity, this.#identity)) {
      checkTlsMaterial(identity);
      this.#retire(this.#agent);
      this.#retireSessions();
      this.#identity = identity;
      this.#agent = this.#newAgent(identity);
      this.#upgrades = undefined;
    }
    return this.#agent;
  }

  /** As `agent`, for HTTP/2. */
  async sessions(credential: Credential | undefined, ca: Pem): Promise<Http2SessionPool> {
    // Loaded by the first request that uses it.
    const { Http2SessionPool: Sessions } = await import('./http2/http2-session-pool.ts');
    this.agent(credential, ca);
    const { server, tls, connectMs, runtime, onHttp2Change } = this.#options;
    this.#sessions ??= new Sessions({
      agent: this.#newAgent(this.#identity, 'http2'),
      server: new URL(server),
      serverName: tls.serverName,
      connectMs,
      runtime,
      onChange: () => onHttp2Change?.(),
    });
    return this.#sessions;
  }

  /** The HTTP/2 sessions, also those of earlier certificates. */
  inspectSessions(): Http2SessionInspection[] {
    const pools = [...this.#retiredSessions, ...(this.#sessions ? [this.#sessions] : [])];
    return pools.flatMap((pool) => pool.inspect());
  }

  /**
   * As `agent`, for requests whose connection becomes a WebSocket: it serves one request, and its reader may keep the bytes. `close`
   * does not close those that were upgraded.
   */
  upgradeAgent(credential: Credential | undefined, ca: Pem): HttpAgent {
    this.agent(credential, ca);
    return (this.#upgrades ??= this.#newAgent(this.#identity, 'upgrades'));
  }

  /** The time that it took to make this connection, milliseconds; undefined for one that is not of this pool. */
  connectMs(socket: Duplex): number | undefined {
    return this.#connectMs.get(socket);
  }

  /** Resolves when the sockets are closed. */
  async close(): Promise<void> {
    const agents = [this.#agent, ...this.#retired, ...(this.#upgrades ? [this.#upgrades] : [])];
    const sessions = [...this.#retiredSessions, ...(this.#sessions ? [this.#sessions] : [])];
    const closed = agents.flatMap(({ sockets, freeSockets }) =>
      [...Object.values(sockets), ...Object.values(freeSockets)].flatMap((some = []) =>
        some.map(whenClosed),
      ),
    );
    for (const agent of agents) agent.destroy();
    this.#retired.clear();
    this.#retiredSessions.clear();
    closed.push(...sessions.map((pool) => pool.close()));
    this.#closing.abort();
    await Promise.all(closed);
  }

  #retire(agent: HttpAgent): void {
    for (const old of this.#retired) {
      if (Object.keys(old.sockets).length === 0) this.#retired.delete(old);
    }
    this.#retired.add(agent);
    // A connection that becomes free is closed, because no free one is kept.
    agent.maxFreeSockets = 0;
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }

  #retireSessions(): void {
    for (const old of this.#retiredSessions) if (old.isEmpty) this.#retiredSessions.delete(old);
    if (this.#sessions === undefined) return;
    this.#retiredSessions.add(this.#sessions);
    this.#sessions.retire();
    this.#sessions = undefined;
  }

  #newAgent(identity: TlsIdentity, use: Use = 'requests'): HttpAgent {
    const { secure, dialer, connectMs, runtime } = this.#options;
    const keep = { keepAlive: use !== 'upgrades', maxFreeSockets: IDLE_CONNECTIONS };
    const agent = secure
      ? new HttpsAgent({ ...keep, ...this.#tlsOptions(identity), ...(use === 'http2' ? ALPN : {}) })
      : new HttpAgent(keep);
    if (dialer === undefined) {
      // A session of HTTP/2 reads from the handle of the socket, and the reader of a WebSocket keeps what it has read.
      if (use === 'requests') this.taps.install(agent);
      limitConnecting(agent, { runtime, limitMs: connectMs, secure });
    } else {
      throughDialer(agent, { dialer, secure, runtime, connectMs, signal: this.#closing.signal });
      if (use === 'requests') this.taps.install(agent, 'made');
    }
    return this.#measured(agent, secure);
  }

  #tlsOptions({ cert, key, ca }: TlsIdentity): object {
    const { serverName, insecureSkipVerify } = this.#options.tls;
    return {
      rejectUnauthorized: insecureSkipVerify !== true,
      // As in Go, a certificate that is given itself is trusted without its authority.
      ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(serverName === undefined ? {} : { servername: serverName }),
    };
  }

  /** Counts the connections and measures how long each took. */
  #measured(agent: HttpAgent, secure: boolean): HttpAgent {
    const { runtime } = this.#options;
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      const sinceMs = runtime.monotonicMs();
      const note = (socket: Duplex): void => {
        this.#connectMs.set(socket, runtime.monotonicMs() - sinceMs);
      };
      const socket = connect(options, (error, ready) => {
        if (error === null && ready !== undefined && ready !== null) {
          this.#opened += 1;
          note(ready);
        }
        callback?.(error, ready);
      });
      if (socket !== undefined && socket !== null) {
        this.#opened += 1;
        if (secure) notePeerCertificate(socket as TLSSocket, runtime);
        socket.once(secure ? 'secureConnect' : 'connect', () => note(socket));
      }
      return socket;
    };
    return agent;
  }
}

function sameIdentity(one: TlsIdentity, other: TlsIdentity): boolean {
  return samePem(one.cert, other.cert) && samePem(one.key, other.key) && samePem(one.ca, other.ca);
}

function asPem(value: string | Uint8Array | undefined): Pem {
  return value === undefined || typeof value === 'string' || Buffer.isBuffer(value)
    ? value
    : Buffer.from(value);
}

/**
 * Limits the time that an agent may take to make a connection, with TLS. After it the connection ends with ETIMEDOUT.
 *
 * TCP sends its first packet again after 1, 3, 7 and 15 s, and then after longer waits. With a limit of ten seconds and a new
 * connection, a client is back within a few seconds after a network that lost all packets has recovered.
 */
function limitConnecting<A extends Agent>(
  agent: A,
  { runtime, limitMs, secure }: { runtime: Runtime; limitMs: number; secure: boolean },
): A {
  if (limitMs === Infinity) return agent;
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    if (socket === undefined || socket === null) return socket;
    const timer = runtime.setTimer(limitMs, () => {
      socket.destroy(notConnectedInTime(limitMs));
    });
    const made = (): void => timer.cancel();
    socket.once(secure ? 'secureConnect' : 'connect', made);
    socket.once('close', made);
    return socket;
  };
  return agent;
}
