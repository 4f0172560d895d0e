import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { callbackify } from 'node:util';
import { onAbort } from '../../../kernel/time/abort.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { notePeerCertificate } from './cause/peer-certificate.ts';
import { notConnectedInTime } from './cause/not-connected-in-time.ts';
import type { Dialer } from './proxy/dialer.ts';

export interface ThroughDialerOptions {
  readonly dialer: Dialer;
  readonly secure: boolean;
  readonly runtime: Runtime;
  /** For the way through the proxy and TLS together, milliseconds; `Infinity` for no limit. The dialer limits its part. */
  readonly connectMs: number;
  /** Ends connections that are being made. */
  readonly signal: AbortSignal;
}

/** Makes the connections of an agent through a proxy. TLS is spoken with the server, so the proxy sees no credentials. */
export function throughDialer<A extends Agent>(agent: A, options: ThroughDialerOptions): A {
  const open = callbackify((target: Target) => connect(target, options));
  agent.createConnection = (target, callback) => {
    open(target as Target, (error, socket) => callback?.(error, socket));
    // The connection is passed to the callback.
    return undefined;
  };
  return agent;
}

type Target = ConnectionOptions & { readonly host?: string; readonly port?: number | string };

async function connect(target: Target, options: ThroughDialerOptions): Promise<Socket> {
  const { dialer, secure, runtime, connectMs, signal } = options;
  const startedMs = runtime.monotonicMs();
  const { host, port } = target;
  const socket = await dialer.dial({ host: host ?? 'localhost', port: Number(port) }, signal);
  if (!secure) return socket;
  const tls = startTls(socket, target);
  notePeerCertificate(tls, runtime);
  const limitMs = connectMs - (runtime.monotonicMs() - startedMs);
  // The bytes of the answer may have come with those of the proxy, so that TLS fails before an agent listens.
  await handshake(tls, { limitMs, connectMs, runtime, signal });
  return tls;
}

/** Closes the tunnel when certificate, key or authorities of `target` cannot be used. */
function startTls(socket: Socket, target: Target): TLSSocket {
  try {
    return connectTls({ ...target, socket });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

interface HandshakeLimit {
  readonly limitMs: number;
  readonly connectMs: number;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/** Resolves when the handshake is done. When it rejects, the connection is closed. */
function handshake(
  tls: TLSSocket,
  { limitMs, connectMs, runtime, signal }: HandshakeLimit,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer =
      limitMs === Infinity
        ? undefined
        : runtime.setTimer(limitMs, () => tls.destroy(notConnectedInTime(connectMs)));
    const release = onAbort(signal, () => {
      timer?.cancel();
      tls.destroy();
    });
    const stop = (): void => {
      timer?.cancel();
      release();
      tls.off('secureConnect', done).off('close', closed);
    };
    const done = (): void => {
      stop();
      resolve();
    };
    const closed = (): void => {
      stop();
      reject(closedInHandshake());
    };
    // It stays until the agent listens. The first error is the one that counts.
    tls.on('error', reject);
    tls.once('secureConnect', done).once('close', closed);
  });
}

/** The error of Node for a connection that ends within its handshake. It is not emitted if the end came with other bytes. */
function closedInHandshake(): Error {
  const text = 'Client network socket disconnected before secure TLS connection was established';
  return Object.assign(new Error(text), { code: 'ECONNRESET' });
}
