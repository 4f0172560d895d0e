import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import * as der from './der.ts';

export interface CertificateOptions {
  /** Host names and IP addresses for which the certificate is valid. */
  readonly hosts: readonly string[];
  /** Wall-clock time of the issue, milliseconds since 1970. */
  readonly nowMs: number;
  /** Random bytes for serial numbers; at least 16. */
  readonly serial: Uint8Array;
}

export interface Certificate {
  /** PEM. It is its own authority: a client that trusts it trusts this server only. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

const DAY_MS = 86_400_000;

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuthentication: '1.3.6.1.5.5.7.3.1',
} as const;

/**
 * Makes a key pair and a self-signed certificate for a server, valid from a day ago for ten years.
 *
 * Kubernetes clients send the token of a kubeconfig over TLS only, so a server for them needs a certificate.
 * Keys come from the operating system's random source, regardless of the runtime.
 * @see RFC 5280 section 4
 */
export function selfSignedCertificate(options: CertificateOptions): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der.sequence(der.objectIdentifier(oid.ecdsaWithSha256));
  const body = toBeSigned(options, publicKey.export({ type: 'spki', format: 'der' }), algorithm);
  const signature = sign('sha256', body, privateKey);
  const certificate = der.sequence(body, algorithm, der.bitString(signature));
  const base64 = certificate.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function toBeSigned(
  { hosts, nowMs, serial }: CertificateOptions,
  publicKey: Buffer,
  algorithm: Buffer,
): Buffer {
  const name = der.sequence(
    der.set(der.sequence(der.objectIdentifier(oid.commonName), der.utf8String('listwatch'))),
  );
  const validity = der.sequence(der.time(nowMs - DAY_MS), der.time(nowMs + 3650 * DAY_MS));
  const keyId = createHash('sha256').update(publicKey).digest().subarray(0, 20);
  const extensions = der.sequence(
    extension(oid.basicConstraints, true, der.sequence(der.boolean(true))),
    // digitalSignature and keyCertSign.
    extension(oid.keyUsage, true, der.bitString(Buffer.of(0b1000_0100), 2)),
    extension(
      oid.extendedKeyUsage,
      false,
      der.sequence(der.objectIdentifier(oid.serverAuthentication)),
    ),
    extension(oid.subjectKeyIdentifier, false, der.octetString(keyId)),
    extension(oid.subjectAltName, false, der.sequence(...hosts.map(generalName))),
  );
  return der.sequence(
    der.explicit(0, der.integer(Buffer.of(2))),
    // With a first byte from 0x40 to 0x7f the number is positive and in its shortest form.
    der.integer(Buffer.of(0x40 | ((serial[0] ?? 0) & 0x3f), ...serial.subarray(1, 16))),
    algorithm,
    name,
    validity,
    name,
    publicKey,
    der.explicit(3, extensions),
  );
}

/** One extension of a certificate. */
export function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(id), ...flag, der.octetString(value));
}

/** A host name or an IP address as a subject alternative name. */
export function generalName(host: string): Buffer {
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
