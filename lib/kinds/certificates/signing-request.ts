import { createPublicKey, verify, X509Certificate, type KeyObject } from 'node:crypto';
import {
  BIT_STRING,
  contentOf,
  elementsOf,
  OBJECT_IDENTIFIER,
  SEQUENCE,
  type DerElement,
} from './der-elements.ts';
import { pemBlocks } from '../../kernel/certificates/pem-blocks.ts';

/** Hashes by the object identifiers of signatures with them, in hexadecimal digits; Ed25519 has none of its own. */
const HASHES: ReadonlyMap<string, string | null> = new Map([
  ['2a864886f70d010105', 'sha1'],
  ['2a864886f70d01010b', 'sha256'],
  ['2a864886f70d01010c', 'sha384'],
  ['2a864886f70d01010d', 'sha512'],
  ['2a8648ce3d0401', 'sha1'],
  ['2a8648ce3d040302', 'sha256'],
  ['2a8648ce3d040303', 'sha384'],
  ['2a8648ce3d040304', 'sha512'],
  ['2b6570', null],
]);
/** The signature that Go refuses for its hash. A request, unlike a certificate, may be signed with SHA-1. */
const MD5_WITH_RSA = '2a864886f70d010104';

const MALFORMED = 'asn1: syntax error: data truncated';
const UNKNOWN_ALGORITHM = 'x509: cannot verify signature: algorithm unimplemented';

/** Why a certificate signing request in PEM, as base64, is refused; undefined for one that is right and signed. */
export function requestProblem(request: unknown): string | undefined {
  const text = typeof request === 'string' ? Buffer.from(request, 'base64').toString('latin1') : '';
  const [block] = pemBlocks(text);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    if (elementsOf(block.bytes).length > 1) return 'asn1: syntax error: trailing data';
    return signingRequest(block.bytes).signatureProblem;
  } catch {
    return MALFORMED;
  }
}

/** Object identifier of an organisation (O) in a name, in hexadecimal digits. */
const ORGANISATION = '55040a';

/** The organisations in the subject of a certificate signing request in PEM, as base64; none of one that cannot be read. */
export function organisationsOf(request: unknown): readonly string[] {
  const text = typeof request === 'string' ? Buffer.from(request, 'base64').toString('latin1') : '';
  try {
    const [outer] = elementsOf(pemBlocks(text)[0]?.bytes ?? Buffer.alloc(0));
    const [info] = elementsOf(contentOf(outer, SEQUENCE));
    const [, subject] = elementsOf(contentOf(info, SEQUENCE));
    return elementsOf(contentOf(subject, SEQUENCE))
      .flatMap(({ content }) => elementsOf(content))
      .map(({ content }) => elementsOf(content))
      .filter(([type]) => type?.content.toString('hex') === ORGANISATION)
      .map(([, value]) => value?.content.toString('utf8') ?? '');
  } catch {
    return [];
  }
}

/** A certificate signing request. */
export interface SigningRequest {
  readonly publicKey: KeyObject;
  /** Why the signature is not one by the key. */
  readonly signatureProblem: string | undefined;
}

/** A certificate signing request in DER. @throws when it is malformed. */
export function signingRequest(der: Buffer): SigningRequest {
  const [outer, ...more] = elementsOf(der);
  if (more.length > 0) throw new RangeError('trailing data');
  const [info, algorithm, signature] = elementsOf(contentOf(outer, SEQUENCE));
  const [, , key] = elementsOf(contentOf(info, SEQUENCE));
  const [identifier] = elementsOf(contentOf(algorithm, SEQUENCE));
  const id = contentOf(identifier, OBJECT_IDENTIFIER).toString('hex');
  const bits = contentOf(signature, BIT_STRING);
  const publicKey = createPublicKey({
    key: (key as DerElement).whole,
    format: 'der',
    type: 'spki',
  });
  const signed = { signed: (info as DerElement).whole, signature: bits.subarray(1) };
  return { publicKey, signatureProblem: signatureProblem(id, publicKey, signed) };
}

/** @param id The algorithm. */
function signatureProblem(
  id: string,
  publicKey: KeyObject,
  { signed, signature }: { readonly signed: Buffer; readonly signature: Buffer },
): string | undefined {
  if (id === MD5_WITH_RSA) return 'x509: cannot verify signature: insecure algorithm MD5-RSA';
  const hash = HASHES.get(id);
  if (hash === undefined) return UNKNOWN_ALGORITHM;
  if (verify(hash, signed, publicKey, signature)) return undefined;
  if (publicKey.asymmetricKeyType === 'rsa') return 'crypto/rsa: verification error';
  const kind = publicKey.asymmetricKeyType === 'ec' ? 'ECDSA' : 'Ed25519';
  return `x509: ${kind} verification failure`;
}

/** Why a chain of certificates in PEM, as base64, is refused. An empty one is right. */
export function certificateProblem(certificate: unknown): string | undefined {
  if (typeof certificate !== 'string' || certificate === '') return undefined;
  const blocks = pemBlocks(Buffer.from(certificate, 'base64').toString('latin1'));
  for (const block of blocks) {
    if (block.type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(block.type)}`;
    }
    try {
      void new X509Certificate(block.bytes).serialNumber;
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
