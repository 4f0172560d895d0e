import { isListwatchError, type ListwatchError } from '../../../kernel/errors.ts';
import { TransportError, type ExchangeTarget } from '../contract/transport-error.ts';

/** The depth to which causes and aggregated errors are read. */
const DEEPEST = 8;

interface Leaf {
  readonly code: string;
  readonly message: string;
}

const UNREACHABLE = 'the host cannot be reached; check network, VPN and firewall';
const UNRESOLVED = 'the host name cannot be resolved; check the server address and DNS';
const NO_TLS = 'the server does not speak TLS at this port; check https:// and the port';
const NO_HTTP = 'the server does not speak HTTP/1.1 at this port; check http:// and the port';

/** The remedy for a failure, by the code of the system error. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', UNRESOLVED],
  ['EAI_AGAIN', UNRESOLVED],
  ['EHOSTUNREACH', UNREACHABLE],
  ['ENETUNREACH', UNREACHABLE],
  ['ETIMEDOUT', UNREACHABLE],
  ['EPROTO', NO_TLS],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
  ['ECONNRESET', 'the connection broke'],
  ['EPIPE', 'the connection broke'],
  ['ERR_STREAM_PREMATURE_CLOSE', 'the connection broke'],
]);

const UNKNOWN_AUTHORITY =
  "the certificate is not signed by a known authority; give the cluster's certificate-authority";

/** OpenSSL's verification failures, as Node names them. */
const CERTIFICATE_REMEDIES: ReadonlyMap<string, string> = new Map([
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'the certificate is for another host name; use a name it covers or set tls-server-name',
  ],
  ['CERT_HAS_EXPIRED', "the certificate has expired; renew it or check this machine's clock"],
  ['CERT_NOT_YET_VALID', "the certificate is not valid yet; check this machine's clock"],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['CERT_UNTRUSTED', UNKNOWN_AUTHORITY],
  ['CERT_REJECTED', 'the certificate is not accepted for this purpose'],
  ['CERT_REVOKED', 'the certificate was revoked'],
  ['CERT_SIGNATURE_FAILURE', 'the signature of the certificate is wrong'],
  ['CERT_CHAIN_TOO_LONG', 'the certificate chain is too long'],
  ['INVALID_CA', 'the certificate authority is no authority'],
  ['INVALID_PURPOSE', 'the certificate is not meant for servers'],
  ['HOSTNAME_MISMATCH', 'the certificate is for another host name'],
]);

/**
 * Turns an error of an HTTP library into a `TransportError`.
 *
 * Only codes and messages of the inner system errors are used: the error objects of an HTTP library contain the request, and
 * with it the credentials.
 */
export function connectionFailure(error: unknown, target: ExchangeTarget): TransportError {
  const proxy = proxyErrorOf(error);
  if (proxy !== undefined) {
    return new TransportError('PROXY', target, proxy.message, { cause: proxy.cause });
  }
  const leaves = leavesOf(error, 0);
  const text = [...new Set(leaves.map((leaf) => leaf.message))].join('; ');
  const options = { cause: plainCause(leaves, text) };

  const certificate = leaves.find((leaf) => CERTIFICATE_REMEDIES.has(leaf.code));
  if (certificate !== undefined) {
    const remedy = CERTIFICATE_REMEDIES.get(certificate.code) ?? '';
    return new TransportError('CERTIFICATE', target, `${remedy} (${text})`, options);
  }
  if (leaves.some((leaf) => leaf.code === 'ECONNREFUSED')) {
    const remedy = 'nothing listens there; check that the API server runs and its address and port';
    return new TransportError('CONNECTION_REFUSED', target, `${remedy} (${text})`, options);
  }
  const known = leaves.find((leaf) => remedyOf(leaf.code) !== undefined);
  const problem =
    known === undefined
      ? `the connection failed: ${text}`
      : `${remedyOf(known.code) ?? ''} (${text})`;
  return new TransportError('CONNECTION_FAILED', target, problem, options);
}

/** Whether a handshake failed because the server did not accept the client's certificate. */
export function isRefusedCertificate(error: unknown): boolean {
  return leavesOf(error, 0).some(({ code }) =>
    /^ERR_SSL_.*_ALERT_|CERTIFICATE_REQUIRED/.test(code),
  );
}

/** The error of a `Dialer`, which has named cause and remedy already. */
function proxyErrorOf(error: unknown): ListwatchError | undefined {
  let inner = error;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    if (isListwatchError(inner, 'PROXY')) return inner;
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = (inner as { cause?: unknown }).cause;
  }
  return undefined;
}

function remedyOf(code: string): string | undefined {
  return code.startsWith('HPE_') ? NO_HTTP : REMEDIES.get(code);
}

/** The innermost errors of `cause` and `errors`: several if several addresses of a host were tried. */
function leavesOf(error: unknown, depth: number): Leaf[] {
  if (typeof error !== 'object' || error === null) {
    return [{ code: '', message: 'unknown failure' }];
  }
  const { code, message, cause, errors } = error as {
    code?: unknown;
    message?: unknown;
    cause?: unknown;
    errors?: unknown;
  };
  if (depth < DEEPEST) {
    if (Array.isArray(errors) && errors.length > 0) {
      return errors.slice(0, DEEPEST).flatMap((one) => leavesOf(one, depth + 1));
    }
    if (typeof cause === 'object' && cause !== null) return leavesOf(cause, depth + 1);
  }
  const name = typeof code === 'string' ? code : '';
  const text = typeof message === 'string' ? message : '';
  return [{ code: name, message: text || name || 'unknown failure' }];
}

function plainCause(leaves: readonly Leaf[], message: string): Error {
  const cause: Error & { code?: string } = new Error(message);
  const code = leaves[0]?.code;
  if (code !== undefined && code !== '') cause.code = code;
  return cause;
}
