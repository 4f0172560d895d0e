import { X509Certificate } from 'node:crypto';
import type { FailureLeaf } from './failure-leaf.ts';

/** A client certificate with its key, and the authorities to trust, PEM each. */
export interface TlsMaterial {
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
  readonly ca?: string | Buffer | undefined;
}

const DECRYPT = 'the client key is encrypted; decrypt it (openssl pkey -in KEY -out DECRYPTED)';
const MISMATCH =
  'the client key does not belong to the client certificate; give the key that this certificate was made for';
const NOT_A_CERTIFICATE =
  'the client certificate is not in PEM form; give a text with -----BEGIN CERTIFICATE-----';
const NOT_A_KEY = 'the client key is not in PEM form; give a text with -----BEGIN PRIVATE KEY-----';

/** Cause and remedy of settings that cannot be used, by the code of OpenSSL or of `checkTlsMaterial`. */
const CAUSES: ReadonlyMap<string, string> = new Map([
  ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', MISMATCH],
  ['ERR_OSSL_X509_KEY_TYPE_MISMATCH', MISMATCH],
  ['ERR_OSSL_BAD_DECRYPT', DECRYPT],
  ['ERR_OSSL_EVP_BAD_DECRYPT', DECRYPT],
  ['ERR_OSSL_PEM_BAD_PASSWORD_READ', DECRYPT],
  ['ERR_OSSL_BAD_PASSWORD_READ', DECRYPT],
  ['ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED', DECRYPT],
  ['ERR_OSSL_UNSUPPORTED', NOT_A_KEY],
  ['ERR_KEY_ENCRYPTED', DECRYPT],
  ['ERR_CERTIFICATE_WITHOUT_KEY', 'the client certificate has no key; give client-key too'],
  ['ERR_KEY_WITHOUT_CERTIFICATE', 'the client key has no certificate; give client-certificate too'],
  [
    'ERR_NO_AUTHORITY',
    'the certificate-authority has no certificate in PEM form; give a text with -----BEGIN CERTIFICATE-----',
  ],
]);

/** Cause and remedy of an unusable certificate or key of the client. Undefined: the error is about something else. */
export function tlsMaterialCause({ code }: FailureLeaf): string | undefined {
  const known = CAUSES.get(code);
  if (known !== undefined) return known;
  if (code.startsWith('ERR_OSSL_PEM_')) return NOT_A_CERTIFICATE;
  if (!code.startsWith('ERR_OSSL_')) return undefined;
  return 'the client certificate or its key cannot be read; give both in PEM form, the key without a password';
}

/**
 * Refuses settings that Node ignores without an error, so that the server or OpenSSL would complain about something else.
 * @throws an Error with a code that `tlsMaterialCause` knows.
 */
export function checkTlsMaterial({ cert, key, ca }: TlsMaterial): void {
  if (isGiven(cert) && !isGiven(key)) throw unusable('ERR_CERTIFICATE_WITHOUT_KEY');
  if (isGiven(key) && !isGiven(cert)) throw unusable('ERR_KEY_WITHOUT_CERTIFICATE');
  if (key?.includes('ENCRYPTED') === true) throw unusable('ERR_KEY_ENCRYPTED');
  if (ca !== undefined && !hasCertificate(ca)) throw unusable('ERR_NO_AUTHORITY');
}

function isGiven(pem: string | Buffer | undefined): boolean {
  return pem !== undefined && pem.length > 0;
}

/** Whether the first certificate of a bundle can be read. */
function hasCertificate(pem: string | Buffer): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}

function unusable(code: string): Error {
  return Object.assign(new Error(code), { code });
}
