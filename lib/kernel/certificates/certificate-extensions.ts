import { isIPv4, isIPv6 } from 'node:net';
import * as der from './der.ts';

/** The usage of a certificate. */
export type CertificateUsage = 'server' | 'client';

const oid = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

const USAGES: Readonly<Record<CertificateUsage, string>> = {
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
};

/**
 * The extensions of an authority that signs leaf certificates only.
 * @see RFC 5280 section 4.2.1
 */
export function authorityExtensions(keyId: Uint8Array): Buffer[] {
  const noIntermediates = der.integer(Buffer.of(0));
  return [
    extension(oid.basicConstraints, true, der.sequence(der.boolean(true), noIntermediates)),
    // keyCertSign and cRLSign.
    extension(oid.keyUsage, true, der.bitString(Buffer.of(0b0000_0110), 1)),
    ...keyIdentifiers(keyId, keyId),
  ];
}

/** The extensions of a certificate that cannot sign others. `hosts` may be empty, as for a user. */
export function leafExtensions(
  keyId: Uint8Array,
  authorityKeyId: Uint8Array,
  usage: CertificateUsage,
  hosts: readonly string[],
): Buffer[] {
  const names = der.sequence(...hosts.map(generalName));
  return [
    extension(oid.basicConstraints, true, der.sequence()),
    // digitalSignature; keyEncipherment is for RSA keys.
    extension(oid.keyUsage, true, der.bitString(Buffer.of(0b1000_0000), 7)),
    extension(oid.extendedKeyUsage, false, der.sequence(der.objectIdentifier(USAGES[usage]))),
    ...keyIdentifiers(keyId, authorityKeyId),
    ...(hosts.length === 0 ? [] : [extension(oid.subjectAltName, false, names)]),
  ];
}

/** By the identifiers a client distinguishes authorities of one name, for example those of a server before and after a restart. */
function keyIdentifiers(keyId: Uint8Array, authorityKeyId: Uint8Array): Buffer[] {
  return [
    extension(oid.subjectKeyIdentifier, false, der.octetString(keyId)),
    extension(oid.authorityKeyIdentifier, false, der.sequence(der.contextual(0, authorityKeyId))),
  ];
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(id), ...flag, der.octetString(value));
}

/** A host name or an IP address as a subject alternative name. */
function generalName(host: string): Buffer {
  if (isIPv4(host)) return der.contextual(7, Buffer.from(host.split('.').map(Number)));
  if (isIPv6(host)) return der.contextual(7, ipv6Bytes(host));
  return der.contextual(2, Buffer.from(host, 'latin1'));
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser accepts all spellings and returns the one without an embedded IPv4 part.
  const plain = new URL(`http://[${address.split('%', 1)[0] ?? ''}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::', 2);
  const words = (text: string | undefined): number[] =>
    text === undefined || text === '' ? [] : text.split(':').map((word) => parseInt(word, 16));
  const first = words(head);
  const last = words(tail);
  const all = [
    ...first,
    ...Array.from({ length: 8 - first.length - last.length }, () => 0),
    ...last,
  ];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}
