import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { callbackify } from 'node:util';
import { onAbort } from '../../../kernel/abort.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import { notConnectedInTime } from './limit-connecting.ts';
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
  const limitMs = connectMs - (runtime.monotonicMs() - startedMs);
  limitHandshake(tls, { limitMs, connectMs, runtime, signal });
  return tls;
}

/** Closes the tunnel when certificate, key or authorities of `target` cannot be used. */
function startTls(socket: Socket, target: Target): Socket {
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

function limitHandshake(
  tls: Socket,
  { limitMs, connectMs, runtime, signal }: HandshakeLimit,
): void {
  const timer =
    limitMs === Infinity
      ? undefined
      : runtime.setTimer(limitMs, () => tls.destroy(notConnectedInTime(connectMs)));
  const release = onAbort(signal, () => tls.destroy());
  const done = (): void => {
    timer?.cancel();
    release();
  };
  tls.once('secureConnect', done);
  tls.once('close', done);
}
