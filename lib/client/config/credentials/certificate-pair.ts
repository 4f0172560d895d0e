import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { ListwatchError } from '../../../kernel/failure/errors.ts';

export interface CertificatePair {
  /** The certificate, PEM; the certificates that signed it may follow. */
  readonly cert: string;
  /** The private key, PEM. */
  readonly key: string;
  /** Where the certificate is, for messages: a path, or file, line and field. */
  readonly certPlace: string;
  readonly keyPlace: string;
}

/** From when until when a certificate is valid, milliseconds since 1970. */
export interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Checks that the certificate and the key can be read and belong together.
 * @throws {ListwatchError} code CONFIG_INVALID naming the places; it shows nothing of the contents.
 */
export function checkCertificatePair(pair: CertificatePair): Validity {
  const certificate = certificateOf(pair);
  const key = keyOf(pair);
  if (!certificate.checkPrivateKey(key)) {
    throw invalid(
      `${pair.certPlace}, ${pair.keyPlace}`,
      'the certificate and the key do not belong together; give the key that the certificate was made for',
    );
  }
  return { fromMs: Date.parse(certificate.validFrom), untilMs: Date.parse(certificate.validTo) };
}

/** The problem of the certificate at `wallMs`; undefined if it has not expired. */
export function expiryProblem({ untilMs }: Validity, wallMs: number): string | undefined {
  if (wallMs <= untilMs) return undefined;
  return `the client certificate expired on ${dateOf(untilMs)}; renew it, or check this machine's clock`;
}

/** The problem of the certificate at `wallMs`; undefined if it is valid already. */
export function earlyProblem({ fromMs }: Validity, wallMs: number): string | undefined {
  if (wallMs >= fromMs) return undefined;
  return `the client certificate is valid only from ${dateOf(fromMs)}; check this machine's clock`;
}

function certificateOf({ cert, certPlace }: CertificatePair): X509Certificate {
  if (!cert.includes('-----BEGIN CERTIFICATE-----')) {
    throw invalid(certPlace, 'it is not a PEM certificate (-----BEGIN CERTIFICATE-----)');
  }
  try {
    return new X509Certificate(cert);
  } catch {
    throw invalid(certPlace, 'the certificate is damaged; write it again');
  }
}

function keyOf({ key, keyPlace }: CertificatePair): KeyObject {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) {
    throw invalid(keyPlace, 'it is not a PEM private key (-----BEGIN PRIVATE KEY-----)');
  }
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(key)) {
    throw invalid(
      keyPlace,
      'the private key is encrypted, which is not supported; decrypt it with "openssl pkey"',
    );
  }
  try {
    return createPrivateKey(key);
  } catch {
    throw invalid(keyPlace, 'the private key is damaged; write it again');
  }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '');
}

function invalid(place: string, problem: string): ListwatchError {
  return new ListwatchError('CONFIG_INVALID', `${place}: ${problem}`);
}
