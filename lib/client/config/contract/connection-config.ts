import type { TlsOptions, TokenSource } from '../../transport/axios-transport.ts';

export interface ConnectionConfigFields {
  /** The server's address. */
  readonly server: string;
  readonly token?: TokenSource | undefined;
  readonly tls?: TlsOptions | undefined;
  /** The default namespace. */
  readonly namespace: string;
  /** Where the configuration was found, e.g. `context kind in /home/me/.kube/config`. */
  readonly source: string;
}

/** The server address and the credentials. Printing or serialising it shows neither token nor key. */
export class ConnectionConfig {
  readonly server: string;
  readonly namespace: string;
  readonly source: string;
  // `inspect` and `JSON.stringify` do not show private fields.
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
