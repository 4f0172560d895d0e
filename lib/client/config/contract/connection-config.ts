import type { CredentialSource } from '../../transport/contract/credential.ts';
import type { Impersonation } from '../../transport/contract/impersonation.ts';
import type { TlsOptions } from '../../transport/contract/tls-options.ts';

/** The names of the entries of a kubeconfig that are in use. */
export interface KubeconfigEntries {
  readonly cluster: string;
  /** Undefined: requests are anonymous. */
  readonly user: string | undefined;
}

export interface ConnectionConfigFields {
  /** The server's address. */
  readonly server: string;
  readonly credentials?: CredentialSource | undefined;
  readonly impersonate?: Impersonation | undefined;
  readonly tls?: TlsOptions | undefined;
  /** See `AxiosTransportOptions.disableCompression`. */
  readonly disableCompression?: boolean | undefined;
  /** The URL of the proxy. Left out: the server is reached directly. */
  readonly proxy?: string | undefined;
  /** The default namespace. */
  readonly namespace: string;
  /** Where the configuration was found, e.g. `context kind in /home/me/.kube/config`. */
  readonly source: string;
  /** The entries of the kubeconfig that are in use. Left out: it is from elsewhere. */
  readonly entries?: KubeconfigEntries | undefined;
}

/** The server address and the credentials. Printing or serialising it shows no token, key or password. */
export class ConnectionConfig {
  readonly server: string;
  readonly namespace: string;
  readonly source: string;
  readonly entries: KubeconfigEntries | undefined;
  readonly impersonate: Impersonation | undefined;
  readonly disableCompression: boolean | undefined;
  // `inspect` and `JSON.stringify` do not show private fields.
  readonly #credentials: CredentialSource | undefined;
  readonly #tls: TlsOptions;
  readonly #proxy: string | undefined;

  constructor({ server, credentials, impersonate, tls, proxy, ...rest }: ConnectionConfigFields) {
    this.server = server;
    this.namespace = rest.namespace;
    this.source = rest.source;
    this.entries = rest.entries;
    this.impersonate = impersonate;
    this.disableCompression = rest.disableCompression;
    this.#credentials = credentials;
    this.#tls = tls ?? {};
    this.#proxy = proxy;
  }

  get credentials(): CredentialSource | undefined {
    return this.#credentials;
  }

  get tls(): TlsOptions {
    return this.#tls;
  }

  get proxy(): string | undefined {
    return this.#proxy;
  }
}
