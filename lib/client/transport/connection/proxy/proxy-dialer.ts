import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { asBuffer } from '../../../../kernel/data/as-buffer.ts';
import { isListwatchError, ListwatchError } from '../../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { parseProxyAddress, type ProxyAddress } from '../../contract/proxy-address.ts';
import type { PemSource } from '../../contract/tls-options.ts';
import { isUnknownAuthority } from '../cause/certificate-cause.ts';
import { failureCause } from '../cause/failure-cause.ts';
import { notePeerCertificate } from '../cause/peer-certificate.ts';
import { PROXY } from '../cause/peer.ts';
import { authority } from './authority.ts';
import type { Dialer, DialTarget } from './dialer.ts';
import { openHttpTunnel } from './http-tunnel.ts';
import { closedByProxy, ProxyProblem } from './proxy-problem.ts';
import { openSocksTunnel } from './socks-tunnel.ts';
import { onAbort } from '../../../../kernel/time/abort.ts';

/** TLS to an https proxy. The TLS to the server passes through it and has settings of its own. */
export interface ProxyTls {
  /** Authorities to trust beside those of Node. */
  readonly ca?: PemSource | undefined;
  /** Accepts any certificate of the proxy. @defaultValue false */
  readonly insecureSkipVerify?: boolean | undefined;
}

export interface ProxyDialerOptions {
  readonly runtime: Runtime;
  /** The limit for the connection to the proxy, its TLS and the tunnel together, milliseconds; `Infinity` for none. */
  readonly connectMs: number;
  readonly tls?: ProxyTls | undefined;
}

/**
 * A dialer through the HTTP or SOCKS5 proxy of a URL, such as `http://user:password@proxy.example:3128`.
 *
 * Limits: 16 KiB for the answer of an HTTP proxy, and `connectMs` for all of a dial. A client certificate is not shown to a proxy.
 * @throws {ListwatchError} code INVALID_OPTION; the message does not repeat the URL.
 */
export function proxyDialer(url: string, options: ProxyDialerOptions): Dialer {
  return new ProxyDialer(parseProxyAddress(url), options);
}

class ProxyDialer implements Dialer {
  readonly description: string;
  readonly #address: ProxyAddress;
  readonly #options: ProxyDialerOptions;
  /** The authorities of the options have verified this proxy. Those of Node come first until then. */
  #knownByOptions = false;

  constructor(address: ProxyAddress, options: ProxyDialerOptions) {
    this.description = address.text;
    this.#address = address;
    this.#options = options;
  }

  async dial({ host, port }: DialTarget, signal?: AbortSignal): Promise<Socket> {
    signal?.throwIfAborted();
    const target = { host: host.replace(/^\[(.*)\]$/, '$1'), port };
    const { protocol } = this.#address;
    const limit = new DialLimit({ ...this.#options, signal });
    let socket: Socket | undefined;
    try {
      socket = protocol === 'https' ? await this.#openTls(limit) : await this.#openTcp(limit);
      limit.connected = true;
      const openTunnel = protocol === 'socks5' ? openSocksTunnel : openHttpTunnel;
      await openTunnel(socket, this.#address, target);
      signal?.throwIfAborted();
      if (socket.destroyed) throw closedByProxy('behind its answer');
      return socket;
    } catch (error) {
      socket?.destroy();
      signal?.throwIfAborted();
      throw this.#failure(error, target);
    } finally {
      limit.release();
    }
  }

  async #openTcp(limit: DialLimit): Promise<Socket> {
    const socket = connectTcp(this.#tcp());
    limit.covers(socket);
    return await opened(socket, 'connect');
  }

  async #openTls(limit: DialLimit): Promise<Socket> {
    const { ca } = this.#options.tls ?? {};
    if (ca === undefined) return await this.#handshake(limit);
    const own = typeof ca === 'function' ? await ca() : ca;
    if (this.#knownByOptions) return await this.#handshake(limit, own);
    try {
      return await this.#handshake(limit);
    } catch (error) {
      if (!isUnknownAuthority(error)) throw error;
    }
    const socket = await this.#handshake(limit, own);
    this.#knownByOptions = true;
    return socket;
  }

  async #handshake(limit: DialLimit, ca?: string | Uint8Array): Promise<Socket> {
    const { runtime, tls } = this.#options;
    const { host } = this.#address;
    const socket = connectTls({
      ...this.#tcp(),
      rejectUnauthorized: tls?.insecureSkipVerify !== true,
      ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : asBuffer(ca) }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    notePeerCertificate(socket, runtime);
    limit.covers(socket);
    return await opened(socket, 'secureConnect');
  }

  #tcp(): TcpNetConnectOpts {
    const { host, port } = this.#address;
    return { host, port, noDelay: true, keepAlive: true };
  }

  #failure(error: unknown, target: DialTarget): ListwatchError {
    if (isListwatchError(error)) return error;
    const way = `no tunnel to ${authority(target)} through the proxy ${this.description}`;
    if (error instanceof ProxyProblem) {
      return new ListwatchError('PROXY', `${way}: ${error.message}`);
    }
    const { text, cause } = failureCause(error, PROXY);
    return new ListwatchError('PROXY', `${way}: ${text}`, { cause });
  }
}

/** Resolves with the socket when it has emitted `made`. */
function opened(socket: Socket, made: 'connect' | 'secureConnect'): Promise<Socket> {
  // It also serves between the end of a dial and the first listener of the caller.
  socket.on('error', () => {});
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      socket.off(made, done).off('error', fail).off('close', closed);
    };
    const done = (): void => {
      stop();
      resolve(socket);
    };
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    const closed = (): void => {
      fail(closedByProxy('before it could be used'));
    };
    socket.once(made, done).once('error', fail).once('close', closed);
  });
}

interface DialLimitOptions {
  readonly runtime: Runtime;
  /** `Infinity` for no limit. */
  readonly connectMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The time limit and the abort of one dial. Either destroys the socket of the dial. `release` ends both.
 */
class DialLimit {
  /** Whether the connection to the proxy is made. */
  connected = false;
  readonly release: () => void;
  #socket: Socket | undefined;

  constructor({ runtime, connectMs, signal }: DialLimitOptions) {
    const expire = (): void => {
      this.#socket?.destroy(tooLate(this.connected, connectMs));
    };
    const timer = connectMs === Infinity ? undefined : runtime.setTimer(connectMs, expire);
    const unlisten = onAbort(signal, () => {
      timer?.cancel();
      this.#socket?.destroy();
    });
    this.release = (): void => {
      unlisten();
      timer?.cancel();
    };
  }

  /** The socket to destroy from now on. */
  covers(socket: Socket): void {
    this.connected = false;
    this.#socket = socket;
  }
}

function tooLate(connected: boolean, connectMs: number): ProxyProblem {
  const what = connected ? 'it gave no answer' : 'it could not be reached';
  return new ProxyProblem(
    `${what} within ${connectMs} ms`,
    'check host and port of the proxy URL, network and firewall, or raise timeouts.connectMs',
  );
}
