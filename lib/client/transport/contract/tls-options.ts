/**
 * PEM text or its bytes; or a function that is asked before each request, for files that are replaced. It is asked with `again`
 * after the certificate of the server was refused: what it has in memory may be old.
 */
export type PemSource =
  | string
  | Uint8Array
  | ((again?: boolean) => string | Uint8Array | Promise<string | Uint8Array>);

export interface TlsOptions {
  /** The certificate authorities to trust. Left out: the authorities of Node. */
  readonly ca?: PemSource | undefined;
  /** The client's certificate, for mutual TLS. */
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
  /** The host name that the certificate must have. Left out: the host of the address. */
  readonly serverName?: string | undefined;
  /** Accepts any certificate: an attacker on the network path can read and change everything. @defaultValue false */
  readonly insecureSkipVerify?: boolean | undefined;
}
