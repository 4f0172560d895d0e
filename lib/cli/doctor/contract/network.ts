import type { Socket } from 'node:net';
import type { ConnectionConfig } from '../../../client/config/contract/connection-config.ts';
import type { LoadConfigOptions } from '../../../client/config/load-config.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { Transport } from '../../../client/transport/contract/transport.ts';

export interface TransportSettings {
  /** The longest wait for an answer, milliseconds. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly runtime: Runtime;
}

export interface TunnelSettings {
  readonly runtime: Runtime;
  /** The longest wait for the tunnel, milliseconds. */
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/** The calls of a step to the machine. Specs put scripted answers in its place. */
export interface Network {
  /** Finds the configuration. */
  loadConfig(options: LoadConfigOptions): Promise<ConnectionConfig>;
  /** The addresses of a host name, in the order in which they are tried. */
  lookup(host: string): Promise<readonly string[]>;
  /** Begins a connection. The caller listens for `connect` and `error`, and destroys the socket. */
  connect(host: string, port: number): Socket;
  /** Opens a tunnel through a proxy. @throws {ListwatchError} code PROXY. */
  tunnel(
    proxy: string,
    target: { readonly host: string; readonly port: number },
    settings: TunnelSettings,
  ): Promise<Socket>;
  /** Sends requests with the credentials of a configuration. The caller closes it. */
  openTransport(config: ConnectionConfig, settings: TransportSettings): Promise<Transport>;
}
