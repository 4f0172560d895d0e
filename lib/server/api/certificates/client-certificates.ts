import { createHash, X509Certificate } from 'node:crypto';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import { certificateParts, type CertificateParts } from './certificate-parts.ts';

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
