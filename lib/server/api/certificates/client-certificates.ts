import { createHash, X509Certificate } from 'node:crypto';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';

/** An element of the distinguished encoding rules. */
interface DerElement {
  /** The first byte: class, form and number. */
  readonly tag: number;
  readonly content: Buffer;
}

/** The elements in a row of bytes. @throws {Error} for bytes that end in an element. */
export function derElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { start, end } = boundsAt(bytes, at);
    if (end > bytes.length) throw new Error('the bytes end within an element');
    elements.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

const LONGEST_LENGTH_OCTETS = 4;

function boundsAt(bytes: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = bytes[at + 1] ?? 0;
  if (first < 0x80) return { start: at + 2, end: at + 2 + first };
  const octets = first & 0x7f;
  const start = at + 2 + octets;
  if (octets === 0 || octets > LONGEST_LENGTH_OCTETS || start > bytes.length) {
    throw new Error('the length of an element cannot be read');
  }
  return { start, end: start + bytes.readUIntBE(at + 2, octets) };
}

/** The dotted form of an object identifier. */
export function derIdentifier(content: Buffer): string {
  const parts: number[] = [];
  let part = 0;
  for (const byte of content) {
    part = part * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    parts.push(part);
    part = 0;
  }
  const [first = 0, ...rest] = parts;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join('.');
}

/** Facts of a certificate that `node:crypto` does not have. */
export interface CertificateParts {
  /** The identifiers of its critical extensions. */
  readonly critical: readonly string[];
  /** The identifier of the algorithm of its signature. */
  readonly algorithm: string;
  /** The user ids in its subject; undefined for a value that is no text. */
  readonly uids: readonly (string | undefined)[];
}

/** @see k8s.io/apimachinery pkg/util/asn1 X509UID @ v0.36.3 */
const UID = '1.3.6.1.4.1.57683.2';
const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
const BOOLEAN_TAG = 0x01;
/** UTF8String, PrintableString and IA5String. */
const TEXT_TAGS: ReadonlySet<number> = new Set([0x0c, 0x13, 0x16]);

/** @throws {Error} for a certificate that cannot be read. @see RFC 5280 section 4.1 */
export function certificateParts({ raw }: Pick<X509Certificate, 'raw'>): CertificateParts {
  const [certificate] = derElements(raw);
  const [body, algorithm] = inside(certificate);
  const fields = inside(body);
  const afterVersion = fields[0]?.tag === VERSION_TAG ? fields.slice(1) : fields;
  const [, , , , subject] = afterVersion;
  const extensions = fields.find(({ tag }) => tag === EXTENSIONS_TAG);
  return {
    critical: inside(inside(extensions)[0]).filter(isCritical).map(identifierOf),
    algorithm: identifierOf(algorithm),
    uids: inside(subject)
      .flatMap(inside)
      .filter((attribute) => identifierOf(attribute) === UID)
      .map((attribute) => textOf(inside(attribute)[1])),
  };
}

function inside(element: DerElement | undefined): DerElement[] {
  return element === undefined ? [] : derElements(element.content);
}

/** Of a sequence that begins with one. */
function identifierOf(element: DerElement | undefined): string {
  const [first] = inside(element);
  return first === undefined ? '' : derIdentifier(first.content);
}

function isCritical(extension: DerElement): boolean {
  const [, flag] = inside(extension);
  return flag?.tag === BOOLEAN_TAG && flag.content[0] !== 0;
}

function textOf(value: DerElement | undefined): string | undefined {
  return value !== undefined && TEXT_TAGS.has(value.tag)
    ? value.content.toString('utf8')
    : undefined;
}

/** The user of a client certificate. */
export interface CertificateUser {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const ANONYMOUS = 'system:anonymous';
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
/** The extensions that are understood: all that a certificate may have as critical ones. @see Go crypto/x509 processExtensions */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  '2.5.29.14',
  '2.5.29.15',
  '2.5.29.17',
  '2.5.29.19',
  '2.5.29.31',
  '2.5.29.32',
  '2.5.29.35',
  '2.5.29.37',
]);
/** Signatures that can be forged: RSA and ECDSA with MD5 and SHA-1. */
const WEAK_SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.3.14.3.2.29',
  '1.2.840.10045.4.1',
]);
const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text. @throws {ListwatchError} code INVALID_OPTION naming `owner` if there is none, or an unreadable one. */
export function certificatesIn(pem: string, owner: string): X509Certificate[] {
  const blocks = pem.match(PEM_BLOCK) ?? [];
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new ListwatchError('INVALID_OPTION', `${owner}: ${errorMessage(error)}`);
  }
  throw new ListwatchError('INVALID_OPTION', `${owner}: there is no certificate in PEM`);
}

/**
 * Returns the users of client certificates: the common name, and the organisations as groups.
 *
 * A certificate is accepted if one of the authorities has signed it, both are valid now, its usages include client authentication,
 * and all its critical extensions are understood. Intermediate certificates that a client sends are not used; add them to the
 * authorities.
 * @see apiserver pkg/authentication/request/x509 CommonNameUserConversion @ 24a394e
 */
export class ClientCertificates {
  readonly #authorities: readonly X509Certificate[];
  /** The certificates that were accepted. */
  readonly #known = new WeakMap<X509Certificate, AcceptedCertificate>();

  constructor(authorities: readonly X509Certificate[]) {
    this.#authorities = authorities;
  }

  /** The user; undefined if the certificate is not accepted at `nowMs`. */
  userOf(certificate: X509Certificate, nowMs: number): CertificateUser | undefined {
    const known = this.#known.get(certificate) ?? this.#accepted(certificate);
    if (known === undefined) return undefined;
    this.#known.set(certificate, known);
    const { user, signers } = known;
    const isSigned = signers.some((signer) => isValid(signer, nowMs));
    return isSigned && isValid(certificate, nowMs) ? user : undefined;
  }

  #accepted(certificate: X509Certificate): AcceptedCertificate | undefined {
    const signers = this.#authorities.filter((authority) => isSignedBy(certificate, authority));
    if (signers.length === 0 || !isForClients(certificate)) return undefined;
    const parts = partsOf(certificate);
    if (parts === undefined || WEAK_SIGNATURES.has(parts.algorithm)) return undefined;
    if (!parts.critical.every((id) => UNDERSTOOD.has(id))) return undefined;
    const user = userIn(certificate, parts);
    return user && { user, signers };
  }
}

interface AcceptedCertificate {
  readonly user: CertificateUser;
  readonly signers: readonly X509Certificate[];
}

function isValid({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  return nowMs >= Date.parse(validFrom) && nowMs <= Date.parse(validTo);
}

/** A certificate among the authorities that is none stands for itself alone. */
function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  if (certificate.raw.equals(authority.raw)) return true;
  if (!authority.ca || !isForClients(authority)) return false;
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function partsOf(certificate: X509Certificate): CertificateParts | undefined {
  try {
    return certificateParts(certificate);
  } catch {
    // OpenSSL takes some encodings that are not distinguished ones.
    return undefined;
  }
}

/** Without usages a certificate is for everything. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  // Untyped: Node returns undefined if there is no such extension.
  const usages = keyUsage as readonly string[] | undefined;
  return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
}

/** Undefined without a name, and for user ids that do not name one. */
function userIn(
  certificate: X509Certificate,
  { uids }: CertificateParts,
): CertificateUser | undefined {
  const { subject } = certificate.toLegacyObject() as {
    readonly subject: { readonly CN?: string | string[]; readonly O?: string | string[] };
  };
  const username = [subject.CN ?? []].flat().at(-1);
  if (username === undefined || username === '') return undefined;
  const [uid] = uids;
  if (uids.length > 1 || (uids.length === 1 && (uid === undefined || uid === ''))) return undefined;
  const hash = createHash('sha256').update(certificate.raw).digest('hex');
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: withAuthenticated(username, [subject.O ?? []].flat()),
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${hash}`] },
  };
}

/** @see apiserver pkg/authentication/group AuthenticatedGroupAdder @ v0.36.3 */
function withAuthenticated(username: string, groups: readonly string[]): readonly string[] {
  const says = groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return username === ANONYMOUS || says ? groups : [...groups, AUTHENTICATED];
}
