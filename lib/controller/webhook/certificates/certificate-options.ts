import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { rejectUnknownOptions, requireOptions } from '../../../kernel/options/options.ts';

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

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkCertificate(given: CertificatePaths | CertificateSecret | undefined): void {
  if (given === undefined) return;
  if (typeof given === 'object' && given !== null && 'secret' in given) {
    rejectUnknownOptions(OWNER, given, ['secret', 'namespace']);
    requireOptions(OWNER, given, ['secret', 'namespace']);
    return;
  }
  rejectUnknownOptions(OWNER, given, ['cert', 'key', 'ca']);
  requireOptions(OWNER, given, ['cert', 'key']);
  const paths = [given.cert, given.key, given.ca ?? ''];
  if (paths.every((path) => typeof path === 'string' && !path.includes('-----BEGIN'))) return;
  const text = `${OWNER}: cert, key and ca are paths of files, not their content`;
  throw new ListwatchError('INVALID_OPTION', text);
}
