import { connect as connectTcp, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { onAbort } from '../../../../kernel/abort.ts';
import { errorMessage, ListwatchError } from '../../../../kernel/errors.ts';
import type { Runtime } from '../../../../kernel/runtime.ts';
import { parseProxyAddress, type ProxyAddress } from '../../contract/proxy-address.ts';
import type { Dialer, DialTarget } from './dialer.ts';
import { authority } from './authority.ts';
import { openHttpTunnel } from './http-tunnel.ts';
import { openSocksTunnel } from './socks-tunnel.ts';

/** TLS to an https proxy. The TLS to the server passes through it and has settings of its own. */
export interface ProxyTls {
  /** Authorities to trust beside those of Node, PEM. */
  readonly ca?: string | Buffer | undefined;
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
 * @throws {ListwatchError} code INVALID_OPTION; the message does not repeat the URL.
 */
export function proxyDialer(url: string, options: ProxyDialerOptions): Dialer {
  return new ProxyDialer(parseProxyAddress(url), options);
}

class ProxyDialer implements Dialer {
  readonly description: string;
  readonly #address: ProxyAddress;
  readonly #options: ProxyDialerOptions;

  constructor(address: ProxyAddress, options: ProxyDialerOptions) {
    this.description = address.text;
    this.#address = address;
    this.#options = options;
  }

  async dial(requested: DialTarget, signal?: AbortSignal): Promise<Socket> {
    signal?.throwIfAborted();
    const target = { host: requested.host.replace(/^\[(.*)\]$/, '$1'), port: requested.port };
    const { runtime, connectMs } = this.#options;
    const openTunnel = this.#address.protocol === 'socks5' ? openSocksTunnel : openHttpTunnel;
    const socket = this.#connect();
    // It also serves between the end of this method and the first listener of the caller.
    socket.on('error', () => {});
    const release = onAbort(signal, () => {
      socket.destroy();
    });
    const timer =
      connectMs === Infinity
        ? undefined
        : runtime.setTimer(connectMs, () => {
            socket.destroy(new Error(`it gave no answer within ${connectMs} ms`));
          });
    try {
      await opened(socket, this.#address.protocol === 'https');
      await openTunnel(socket, this.#address, target);
      if (socket.destroyed) throw new Error('it closed the connection');
      return socket;
    } catch (error) {
      socket.destroy();
      signal?.throwIfAborted();
      throw this.#failure(error, target);
    } finally {
      release();
      timer?.cancel();
    }
  }

  #connect(): Socket {
    const { protocol, host, port } = this.#address;
    const tcp: NetConnectOpts = { host, port, noDelay: true, keepAlive: true };
    if (protocol !== 'https') return connectTcp(tcp);
    const { insecureSkipVerify } = this.#options.tls ?? {};
    return connectTls({ ...tcp, rejectUnauthorized: insecureSkipVerify !== true });
  }

  #failure(error: unknown, target: DialTarget): ListwatchError {
    const text = `no tunnel to ${authority(target)} through the proxy ${this.description}: ${errorMessage(error)}`;
    return new ListwatchError('PROXY', text);
  }
}

/** Waits until a connection is made, with TLS if it is `secure`. */
function opened(socket: Socket, secure: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const made = secure ? 'secureConnect' : 'connect';
    const stop = (): void => {
      socket.off(made, done).off('error', fail).off('close', closed);
    };
    const done = (): void => {
      stop();
      resolve();
    };
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    const closed = (): void => {
      fail(new Error('it closed the connection'));
    };
    socket.once(made, done).once('error', fail).once('close', closed);
  });
}
