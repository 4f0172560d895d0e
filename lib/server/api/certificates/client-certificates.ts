import { X509Certificate } from 'node:crypto';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';

/** The user of a client certificate: its common name, and its organisations as groups. */
export interface CertificateUser {
  readonly username: string;
  readonly groups: readonly string[];
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
/** The group of every user that has authenticated. */
const AUTHENTICATED = 'system:authenticated';
const ANY_USAGE = '2.5.29.37.0';
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
 * Tells the users of client certificates.
 *
 * A certificate is accepted if one of the authorities has signed it, it is valid now, and its usages include client
 * authentication. Intermediate certificates that a client sends are not used; add them to the authorities.
 * @see apiserver pkg/authentication/request/x509 CommonNameUserConversion @ 24a394e
 */
export class ClientCertificates {
  readonly #authorities: readonly X509Certificate[];
  /** The certificates that were accepted. */
  readonly #known = new WeakMap<X509Certificate, CertificateUser>();

  constructor(authorities: readonly X509Certificate[]) {
    this.#authorities = authorities;
  }

  /** The user; undefined if the certificate is not accepted at `nowMs`. */
  userOf(certificate: X509Certificate, nowMs: number): CertificateUser | undefined {
    if (nowMs < Date.parse(certificate.validFrom) || nowMs > Date.parse(certificate.validTo)) {
      return undefined;
    }
    const known = this.#known.get(certificate);
    if (known !== undefined) return known;
    if (!isForClients(certificate) || !this.#isSigned(certificate)) return undefined;
    const user = userIn(certificate);
    if (user !== undefined) this.#known.set(certificate, user);
    return user;
  }

  #isSigned(certificate: X509Certificate): boolean {
    return this.#authorities.some(
      (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
    );
  }
}

/** Without usages a certificate is for everything. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  // Untyped: Node returns undefined if there is no such extension.
  const usages = keyUsage as readonly string[] | undefined;
  return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
}

function userIn(certificate: X509Certificate): CertificateUser | undefined {
  const { subject } = certificate.toLegacyObject() as {
    readonly subject: { readonly CN?: string | string[]; readonly O?: string | string[] };
  };
  const username = [subject.CN ?? []].flat().at(-1);
  if (username === undefined || username === '') return undefined;
  return { username, groups: [...[subject.O ?? []].flat(), AUTHENTICATED] };
}
