import type {
  ClientCertificateOptions,
  KubeconfigOptions,
} from '../../server/api/api-server-options.ts';
import type { Certificate } from '../../kernel/certificates/certificate-authority.ts';

/** The options for `connect`. */
export interface RunningServerAddress {
  readonly server: string;
  readonly token: string;
  /** Left out: the address needs none. */
  readonly tls?: { readonly ca: string } | undefined;
}

/**
 * An API server that tests reach over its port: an `ApiServer` of this package that listens, or a real one of `startRealApiServer`. What
 * is written against it runs with both.
 */
export interface RunningApiServer extends AsyncDisposable {
  /** Its address, with scheme. */
  readonly url: string;
  /** Of a user who may do everything. */
  readonly token: string;
  /** The authority that TLS clients trust, PEM. */
  readonly certificateAuthority: string;
  clientConfig(): RunningServerAddress;
  /** A certificate with which a client authenticates; the groups decide what it may do. */
  issueClientCertificate(options: ClientCertificateOptions): Certificate;
  /** Writes a kubeconfig for kubectl and other clients, readable by its owner only. */
  writeKubeconfig(path: string, options?: KubeconfigOptions): Promise<void>;
  close(): Promise<void>;
}
