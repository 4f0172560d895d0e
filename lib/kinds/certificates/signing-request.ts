import { createPublicKey, verify, X509Certificate } from 'node:crypto';

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;
const OBJECT_IDENTIFIER = 0x06;
const LONG_FORM = 0x80;

interface Element {
  readonly tag: number;
  /** With its head. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** The elements of DER, one after the other. @throws {RangeError} for what is no DER. */
function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    let start = at + 2;
    let length = bytes.readUInt8(at + 1);
    if (length >= LONG_FORM) {
      const octets = length - LONG_FORM;
      length = bytes.readUIntBE(start, octets);
      start += octets;
    }
    const end = start + length;
    if (end > bytes.length) throw new RangeError('data truncated');
    elements.push({
      tag: bytes.readUInt8(at),
      whole: bytes.subarray(at, end),
      content: bytes.subarray(start, end),
    });
    at = end;
  }
  return elements;
}

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

/** The first block of a PEM text. */
function pemBlock(
  text: string,
): { readonly type: string; readonly bytes: Buffer; readonly rest: string } | undefined {
  const match = /-----BEGIN ([^-\n]*)-----[ \t]*\r?\n([^-]*?)-----END \1-----/.exec(text);
  if (match === null) return undefined;
  const [all, type = '', body = ''] = match;
  return {
    type,
    bytes: Buffer.from(body.replaceAll(/\s/g, ''), 'base64'),
    rest: text.slice(match.index + all.length),
  };
}

/** Why a certificate signing request in PEM, as base64, is refused; undefined for one that is right and signed. */
export function requestProblem(request: unknown): string | undefined {
  const text = typeof request === 'string' ? Buffer.from(request, 'base64').toString('latin1') : '';
  const block = pemBlock(text);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return signatureProblem(block.bytes);
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
    const [outer] = elementsOf(pemBlock(text)?.bytes ?? Buffer.alloc(0));
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

/** @throws when it is malformed. */
function signatureProblem(der: Buffer): string | undefined {
  const [outer, ...more] = elementsOf(der);
  if (more.length > 0) return 'asn1: syntax error: trailing data';
  const [info, algorithm, signature] = elementsOf(contentOf(outer, SEQUENCE));
  const [, , key] = elementsOf(contentOf(info, SEQUENCE));
  const [identifier] = elementsOf(contentOf(algorithm, SEQUENCE));
  const id = contentOf(identifier, OBJECT_IDENTIFIER).toString('hex');
  if (id === MD5_WITH_RSA) return 'x509: cannot verify signature: insecure algorithm MD5-RSA';
  const hash = HASHES.get(id);
  if (hash === undefined) return UNKNOWN_ALGORITHM;
  const bits = contentOf(signature, BIT_STRING);
  const publicKey = createPublicKey({
    key: (key as Element).whole,
    format: 'der',
    type: 'spki',
  });
  if (verify(hash, (info as Element).whole, publicKey, bits.subarray(1))) return undefined;
  if (publicKey.asymmetricKeyType === 'rsa') return 'crypto/rsa: verification error';
  const kind = publicKey.asymmetricKeyType === 'ec' ? 'ECDSA' : 'Ed25519';
  return `x509: ${kind} verification failure`;
}

/** @throws {TypeError} when there is no such element. */
function contentOf(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new TypeError('this is another element');
  return element.content;
}

/** Why a chain of certificates in PEM, as base64, is refused. An empty one is right. */
export function certificateProblem(certificate: unknown): string | undefined {
  if (typeof certificate !== 'string' || certificate === '') return undefined;
  let text = Buffer.from(certificate, 'base64').toString('latin1');
  let blocks = 0;
  for (let block = pemBlock(text); block !== undefined; block = pemBlock(text)) {
    if (block.type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(block.type)}`;
    }
    try {
      void new X509Certificate(block.bytes).serialNumber;
    } catch {
      return 'x509: malformed certificate';
    }
    blocks += 1;
    text = block.rest;
  }
  return blocks === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
