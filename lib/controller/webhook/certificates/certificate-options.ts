import { invalidOption, is, optionsOf } from '../../../kernel/options/options-schema.ts';

/** Files of PEM, which are read again when they change: for example a mounted secret of cert-manager. */
export interface CertificatePaths {
  /** The certificate, `tls.crt`; those that signed it may follow. */
  readonly cert: string;
  /** Its private key, `tls.key`. */
  readonly key: string;
  /**
   * The authorities that signed it, `ca.crt`, which are registered. @defaultValue the self-signed certificates of `cert`; without any,
   * nothing is registered, and what is registered stays
   */
  readonly ca?: string | undefined;
}

/** A secret in which replicas share an authority; the first one makes it. Needs the verbs `get` and `create` of secrets. */
export interface CertificateSecret {
  readonly secret: string;
  readonly namespace: string;
}

const OWNER = 'WebhookServer: certificate';
const PATHS = optionsOf<CertificatePaths>()(OWNER, {
  cert: is.text().required,
  key: is.text().required,
  ca: is.text(),
});
const SECRET = optionsOf<CertificateSecret>()(OWNER, {
  secret: is.text().required,
  namespace: is.text().required,
});

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkCertificate(given: CertificatePaths | CertificateSecret | undefined): void {
  if (given === undefined) return;
  if (typeof given === 'object' && given !== null && 'secret' in given) {
    SECRET.read(given);
    return;
  }
  const { cert, key, ca = '' } = PATHS.read(given);
  if (![cert, key, ca].some((path) => path.includes('-----BEGIN'))) return;
  throw invalidOption(OWNER, 'cert, key and ca must be paths of files, not their content');
}
