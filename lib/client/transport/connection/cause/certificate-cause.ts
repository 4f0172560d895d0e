import { peerCertificateOf } from './peer-certificate.ts';
import { leavesOf, type FailureLeaf } from './failure-leaf.ts';
import type { Peer } from './peer.ts';

/** The most names of a certificate that a message lists, and the most characters of one. */
const MOST_NAMES = 5;
const LONGEST_NAME = 100;

const EXPIRED = 'renew it, or correct the clock of this machine';
const OTHER_CERTIFICATE = 'let the server present another certificate';

type Explain = (leaf: FailureLeaf, peer: Peer) => string;

const unknownAuthority: Explain = ({ error }, { noun, trust }) => {
  const issuer = peerCertificateOf(error)?.issuer;
  const by = issuer === undefined ? '' : `, but by "${issuer}"`;
  return `the certificate of the ${noun} is not signed by a known authority${by}; ${trust}`;
};

const simple =
  (cause: string, remedy: string): Explain =>
  (_leaf, { noun }) =>
    `the certificate of the ${noun} ${cause}; ${remedy}`;

/** OpenSSL's verification failures, as Node names them. */
const CAUSES: ReadonlyMap<string, Explain> = new Map([
  ['ERR_TLS_CERT_ALTNAME_INVALID', otherName],
  ['CERT_HAS_EXPIRED', expired],
  ['CERT_NOT_YET_VALID', notYetValid],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownAuthority],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
  ['CERT_UNTRUSTED', unknownAuthority],
  ['CERT_REJECTED', simple('is not accepted for this purpose', OTHER_CERTIFICATE)],
  ['CERT_REVOKED', simple('was revoked', OTHER_CERTIFICATE)],
  ['CERT_SIGNATURE_FAILURE', simple('has a wrong signature', OTHER_CERTIFICATE)],
  ['CERT_CHAIN_TOO_LONG', simple('has too long a chain', OTHER_CERTIFICATE)],
  ['INVALID_CA', simple('is signed by a certificate that is no authority', OTHER_CERTIFICATE)],
  ['INVALID_PURPOSE', simple('is not meant for servers', OTHER_CERTIFICATE)],
  ['HOSTNAME_MISMATCH', otherName],
]);

/** Cause and remedy of a certificate that does not verify. Undefined: the error is about something else. */
export function certificateCause(leaf: FailureLeaf, peer: Peer): string | undefined {
  return CAUSES.get(leaf.code)?.(leaf, peer);
}

/** Whether an error of a connection says that no authority is known that signed the certificate. */
export function isUnknownAuthority(error: unknown): boolean {
  return leavesOf(error).some(({ code }) => CAUSES.get(code) === unknownAuthority);
}

function expired({ error }: FailureLeaf, { noun }: Peer): string {
  const { expiredAt } = peerCertificateOf(error) ?? {};
  if (expiredAt === undefined) {
    return `a certificate of the ${noun}, or of its authority, has expired; ${EXPIRED}`;
  }
  return `the ${noun}'s certificate expired on ${expiredAt}; ${EXPIRED}`;
}

function notYetValid({ error }: FailureLeaf, { noun }: Peer): string {
  const { validFrom } = peerCertificateOf(error) ?? {};
  const from = validFrom === undefined ? '' : ` before ${validFrom}`;
  return `the certificate of the ${noun} is not valid yet${from}; correct the clock of this machine`;
}

function otherName({ error, message }: FailureLeaf, { noun, rename }: Peer): string {
  const { host, cert } = error as { host?: unknown; cert?: unknown };
  const names = namesOf(cert);
  const wanted = typeof host === 'string' ? host : 'the host of the address';
  const known = names.length === 0 ? `it has no name (${message})` : `it is for ${listed(names)}`;
  return `the certificate of the ${noun} is for another host name: ${wanted} was asked for, and ${known}; ${rename}`;
}

/** The names of a certificate, DNS names and addresses; without any, its common name. */
function namesOf(cert: unknown): string[] {
  const { subjectaltname, subject } = (cert ?? {}) as {
    subjectaltname?: unknown;
    subject?: { CN?: unknown };
  };
  if (typeof subjectaltname === 'string') {
    const found = subjectaltname.matchAll(/(?:^|, )(?:DNS|IP Address):([^,]*)/g);
    return [...found].map((match) => match[1] ?? '').filter(Boolean);
  }
  const name = subject?.CN;
  return typeof name === 'string' && name !== '' ? [name] : [];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
  const more = names.length - shown.length;
  // A certificate can hold any character.
  // oxlint-disable-next-line no-control-regex
  const text = shown.join(', ').replaceAll(/[\s\x00-\x1f\x7f]+/g, ' ');
  return more > 0 ? `${text} and ${more} more` : text;
}
