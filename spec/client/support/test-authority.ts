import { createPrivateKey } from 'node:crypto';
import {
  CertificateAuthority,
  type Certificate,
  type CertificateValidity,
} from '../../../lib/kernel/certificates/certificate-authority.ts';

/** A certificate with its key, PEM each; the key is PKCS #8, not encrypted. */
export type IssuedCertificate = Certificate;

/** Default: from a day ago, for a hundred days. */
export type Validity = CertificateValidity;

export interface AuthorityOptions extends Validity {
  /** The common name of the authority. @defaultValue 'test authority' */
  readonly name?: string | undefined;
}

export interface ServerCertificateOptions extends Validity {
  /** Host names and IP addresses. @defaultValue localhost, 127.0.0.1 and ::1 */
  readonly hosts?: readonly string[] | undefined;
}

export interface ClientCertificateOptions extends Validity {
  /** The common name: the user of an API server. */
  readonly user: string;
  /** The organisations: the groups of the user. @defaultValue none */
  readonly groups?: readonly string[] | undefined;
}

const DAY_MS = 86_400_000;

/** The validity of a certificate that expired an hour ago. */
export function expired(nowMs: number = Date.now()): Validity {
  return { notBeforeMs: nowMs - 2 * DAY_MS, notAfterMs: nowMs - DAY_MS / 24 };
}

/** The validity of a certificate that begins in an hour. */
export function notYetValid(nowMs: number = Date.now()): Validity {
  return { notBeforeMs: nowMs + DAY_MS / 24, notAfterMs: nowMs + 2 * DAY_MS };
}

/**
 * A certificate authority of one spec. It issues certificates of EC keys (P-256) with node:crypto alone, in a millisecond each.
 * Two authorities never trust each other, not even with the same name: that is a rotated one.
 */
export class TestAuthority {
  /** PEM. */
  readonly certificate: string;
  readonly #authority: CertificateAuthority;

  constructor({ name = 'test authority', ...validity }: AuthorityOptions = {}) {
    this.#authority = new CertificateAuthority({ name, ...within(validity) });
    this.certificate = this.#authority.certificate;
  }

  /** The authority with its key. */
  stored(): IssuedCertificate {
    return this.#authority.stored();
  }

  /** A certificate for a server with these host names. */
  server(options: ServerCertificateOptions = {}): IssuedCertificate {
    const { hosts = ['localhost', '127.0.0.1', '::1'] } = options;
    const name = hosts[0] ?? 'server';
    return this.#authority.issue({ usage: 'server', name, hosts, ...within(options) });
  }

  /** A certificate for a user. Two certificates of one user differ in key and serial number. */
  client(options: ClientCertificateOptions): IssuedCertificate {
    const { user: name, groups: organizations } = options;
    return this.#authority.issue({ usage: 'client', name, organizations, ...within(options) });
  }
}

/** The private key under a passphrase: PKCS #8, AES-256. */
export function encryptedKey(privateKey: string, passphrase: string): string {
  return createPrivateKey(privateKey).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase,
  }) as string;
}

function within({ notBeforeMs, notAfterMs }: Validity): Validity & { readonly nowMs: number } {
  const nowMs = Date.now();
  return { nowMs, notBeforeMs, notAfterMs: notAfterMs ?? nowMs + 100 * DAY_MS };
}
