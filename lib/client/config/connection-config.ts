import type { TlsOptions, TokenSource } from '../transport/axios-transport.ts';

export interface ConnectionConfigFields {
  /** The server's address. */
  readonly server: string;
  readonly token?: TokenSource | undefined;
  readonly tls?: TlsOptions | undefined;
  /** The namespace to work in where nothing else is said. */
  readonly namespace: string;
  /** The origin of the configuration, e.g. `context kind in /home/me/.kube/config`. */
  readonly source: string;
}

/** How to reach a server and as whom. Printing it, in whatever way, shows neither token nor key. */
export class ConnectionConfig {
  readonly server: string;
  readonly namespace: string;
  readonly source: string;
  // Accessors of private fields are neither inspected nor serialised.
  readonly #token: TokenSource | undefined;
  readonly #tls: TlsOptions;

  constructor({ server, token, tls, namespace, source }: ConnectionConfigFields) {
    this.server = server;
    this.namespace = namespace;
    this.source = source;
    this.#token = token;
    this.#tls = tls ?? {};
  }

  get token(): TokenSource | undefined {
    return this.#token;
  }

  get tls(): TlsOptions {
    return this.#tls;
  }
}
