import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import * as der from '../../../lib/server/api/http/der.ts';
import { extension, generalName } from '../../../lib/server/api/http/self-signed-certificate.ts';

/** A certificate with its key, PEM each. */
export interface IssuedCertificate {
  readonly certificate: string;
  /** PKCS #8, not encrypted. */
  readonly privateKey: string;
}

export interface Validity {
  /** Milliseconds since 1970. @defaultValue a day ago */
  readonly notBeforeMs?: number | undefined;
  /** Milliseconds since 1970. @defaultValue in a hundred days */
  readonly notAfterMs?: number | undefined;
}

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

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
  clientAuthentication: '1.3.6.1.5.5.7.3.2',
} as const;

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
  readonly #name: Buffer;
  readonly #key: KeyObject;
  readonly #keyId: Buffer;

  constructor(options: AuthorityOptions = {}) {
    const { privateKey, publicKey } = newKeyPair();
    this.#key = privateKey;
    this.#keyId = keyIdOf(publicKey);
    this.#name = distinguishedName(options.name ?? 'test authority');
    this.certificate = this.#issue(this.#name, publicKey, options, [
      extension(oid.basicConstraints, true, der.sequence(der.boolean(true))),
      // keyCertSign and cRLSign.
      extension(oid.keyUsage, true, der.bitString(Buffer.of(0b0000_0110), 1)),
    ]);
  }

  /** A certificate for a server with these host names. */
  server(options: ServerCertificateOptions = {}): IssuedCertificate {
    const { hosts = ['localhost', '127.0.0.1', '::1'] } = options;
    return this.#leaf(distinguishedName(hosts[0] ?? 'server'), options, [
      extendedUsage(oid.serverAuthentication),
      extension(oid.subjectAltName, false, der.sequence(...hosts.map(generalName))),
    ]);
  }

  /** A certificate for a user. Two certificates of one user differ in key and serial number. */
  client(options: ClientCertificateOptions): IssuedCertificate {
    const name = distinguishedName(options.user, options.groups);
    return this.#leaf(name, options, [extendedUsage(oid.clientAuthentication)]);
  }

  #leaf(subject: Buffer, validity: Validity, extensions: readonly Buffer[]): IssuedCertificate {
    const { privateKey, publicKey } = newKeyPair();
    const certificate = this.#issue(subject, publicKey, validity, [
      extension(oid.basicConstraints, true, der.sequence()),
      // digitalSignature.
      extension(oid.keyUsage, true, der.bitString(Buffer.of(0b1000_0000), 7)),
      ...extensions,
    ]);
    return {
      certificate,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    };
  }

  #issue(
    subject: Buffer,
    publicKey: Buffer,
    { notBeforeMs, notAfterMs }: Validity,
    extensions: readonly Buffer[],
  ): string {
    const nowMs = Date.now();
    const algorithm = der.sequence(der.objectIdentifier(oid.ecdsaWithSha256));
    const serial = randomBytes(16);
    const body = der.sequence(
      der.explicit(0, der.integer(Buffer.of(2))),
      // With a first byte from 0x40 to 0x7f the number is positive and in its shortest form.
      der.integer(Buffer.of(0x40 | (serial[0]! & 0x3f), ...serial.subarray(1))),
      algorithm,
      this.#name,
      der.sequence(
        der.time(notBeforeMs ?? nowMs - DAY_MS),
        der.time(notAfterMs ?? nowMs + 100 * DAY_MS),
      ),
      subject,
      publicKey,
      der.explicit(
        3,
        der.sequence(
          ...extensions,
          extension(oid.subjectKeyIdentifier, false, der.octetString(keyIdOf(publicKey))),
          extension(
            oid.authorityKeyIdentifier,
            false,
            der.sequence(der.contextual(0, this.#keyId)),
          ),
        ),
      ),
    );
    const signature = der.bitString(sign('sha256', body, this.#key));
    return pemOf('CERTIFICATE', der.sequence(body, algorithm, signature));
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

function newKeyPair(): { readonly privateKey: KeyObject; readonly publicKey: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }) };
}

function keyIdOf(publicKey: Buffer): Buffer {
  return createHash('sha256').update(publicKey).digest().subarray(0, 20);
}

function distinguishedName(commonName: string, organizations: readonly string[] = []): Buffer {
  const part = (id: string, text: string): Buffer =>
    der.set(der.sequence(der.objectIdentifier(id), der.utf8String(text)));
  return der.sequence(
    ...organizations.map((organization) => part(oid.organization, organization)),
    part(oid.commonName, commonName),
  );
}

function extendedUsage(usage: string): Buffer {
  return extension(oid.extendedKeyUsage, false, der.sequence(der.objectIdentifier(usage)));
}

function pemOf(label: string, bytes: Buffer): string {
  const base64 = bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`;
}
