import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { errorMessage, ListwatchError } from '../failure/errors.ts';
import {
  authorityExtensions,
  leafExtensions,
  type CertificateUsage,
} from './certificate-extensions.ts';
import * as der from './der.ts';

/** A certificate and its key. */
export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

/** The time within which a certificate is valid; seconds are kept, fractions are not. */
export interface CertificateValidity {
  /** Milliseconds since 1970. @defaultValue a day before `nowMs` */
  readonly notBeforeMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly notAfterMs?: number | undefined;
}

interface IssueOptions extends CertificateValidity {
  /** Wall-clock time of the issue, milliseconds since 1970. */
  readonly nowMs: number;
}

export interface CertificateAuthorityOptions extends IssueOptions {
  /** The common name. */
  readonly name: string;
  /** The source of serial numbers, 16 bytes each. @defaultValue the operating system's */
  readonly randomBytes?: ((size: number) => Uint8Array) | undefined;
  /** An earlier authority of this name, from `stored`. @defaultValue a new one */
  readonly stored?: Certificate | undefined;
}

export interface LeafOptions extends IssueOptions {
  readonly usage: CertificateUsage;
  /** The common name. Clients compare `hosts` with the address, not this. */
  readonly name: string;
  /** The organisations; those of a user are groups. @defaultValue none */
  readonly organizations?: readonly string[] | undefined;
  /** Host names and IP addresses for which the certificate is valid. @defaultValue none */
  readonly hosts?: readonly string[] | undefined;
}

interface Key {
  readonly id: Buffer;
  /** DER, SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  readonly privateKey: KeyObject;
}

const DAY_MS = 86_400_000;
/** Default validity of an authority. */
const AUTHORITY_DAYS = 3_650;
/** Default validity of a leaf: below the 398 days that browsers accept. */
const LEAF_DAYS = 365;

const ECDSA_WITH_SHA256 = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';

/**
 * Issues certificates of EC keys (P-256). The key of the authority leaves this object only by `stored`.
 *
 * The authority is valid for ten years and a leaf for one, unless stated otherwise; both begin a day early, because the clocks of
 * two machines differ. Keys come from the operating system's random source, regardless of the runtime.
 *
 * A server presents a leaf and not the authority, because some clients refuse an authority as a leaf (rustls: CaUsedAsEndEntity).
 * @see RFC 5280 section 4
 */
export class CertificateAuthority {
  /** The self-signed certificate of the authority, PEM: what clients trust. */
  readonly certificate: string;
  readonly #key: Key;
  readonly #name: Buffer;
  readonly #randomBytes: (size: number) => Uint8Array;

  /** @throws {ListwatchError} code INVALID_OPTION for a stored authority that cannot be used. */
  constructor(options: CertificateAuthorityOptions) {
    this.#randomBytes = options.randomBytes ?? randomBytes;
    this.#name = distinguishedName(options.name, []);
    if (options.stored !== undefined) {
      this.#key = storedKey(options.stored, options);
      this.certificate = options.stored.certificate;
      return;
    }
    this.#key = newKey();
    const extensions = authorityExtensions(this.#key.id);
    this.certificate = this.#sign(this.#name, this.#key, options, AUTHORITY_DAYS, extensions);
  }

  /** The authority with its key, to be kept where only its owner can read it. */
  stored(): Certificate {
    const privateKey = this.#key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { certificate: this.certificate, privateKey };
  }

  /** A certificate with a new key, for a server or for a user. */
  issue(options: LeafOptions): Certificate {
    const { usage, name, organizations = [], hosts = [] } = options;
    const key = newKey();
    const extensions = leafExtensions(key.id, this.#key.id, usage, hosts);
    const subject = distinguishedName(name, organizations);
    return {
      certificate: this.#sign(subject, key, options, LEAF_DAYS, extensions),
      privateKey: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
  }

  #sign(
    subject: Buffer,
    { spki }: Key,
    { nowMs, notBeforeMs, notAfterMs }: IssueOptions,
    days: number,
    extensions: readonly Buffer[],
  ): string {
    const body = der.sequence(
      der.explicit(0, der.integer(Buffer.of(2))),
      this.#serial(),
      ECDSA_WITH_SHA256,
      this.#name,
      der.sequence(
        der.time(notBeforeMs ?? nowMs - DAY_MS),
        der.time(notAfterMs ?? nowMs + days * DAY_MS),
      ),
      subject,
      spki,
      der.explicit(3, der.sequence(...extensions)),
    );
    const signature = der.bitString(sign('sha256', body, this.#key.privateKey));
    return pem(der.sequence(body, ECDSA_WITH_SHA256, signature));
  }

  /** With a first byte from 0x40 to 0x7f the number is positive and in its shortest form. */
  #serial(): Buffer {
    const [first = 0, ...rest] = this.#randomBytes(16);
    return der.integer(Buffer.of(0x40 | (first & 0x3f), ...rest));
  }
}

/** @throws {ListwatchError} code INVALID_OPTION. */
function storedKey(
  { certificate, privateKey }: Certificate,
  { name, nowMs }: CertificateAuthorityOptions,
): Key {
  let problem: string;
  try {
    const parsed = new X509Certificate(certificate);
    const key = createPrivateKey(privateKey);
    problem = problemOf(parsed, key, name, nowMs);
    if (problem === '') return keyOf(key, createPublicKey(key));
  } catch (error) {
    problem = `it cannot be read: ${errorMessage(error)}`;
  }
  throw new ListwatchError(
    'INVALID_OPTION',
    `the stored certificate authority cannot be used: ${problem}; remove it to get a new one, which its clients have to trust anew`,
  );
}

function problemOf(parsed: X509Certificate, key: KeyObject, name: string, nowMs: number): string {
  if (parsed.subject !== `CN=${name}` || !parsed.ca) return `it is not the authority "${name}"`;
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return 'its key is not of P-256';
  if (!parsed.checkPrivateKey(key)) return 'its key belongs to another certificate';
  if (Date.parse(parsed.validTo) <= nowMs) return `it has expired on ${parsed.validTo}`;
  return '';
}

function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return keyOf(privateKey, publicKey);
}

function keyOf(privateKey: KeyObject, publicKey: KeyObject): Key {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(spki).digest().subarray(0, 20), spki, privateKey };
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const part = (id: string, text: string): Buffer =>
    der.set(der.sequence(der.objectIdentifier(id), der.utf8String(text)));
  return der.sequence(
    ...organizations.map((organization) => part(ORGANIZATION, organization)),
    part(COMMON_NAME, commonName),
  );
}

function pem(bytes: Buffer): string {
  const base64 = bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`;
}
