import { errorMessage } from '../../kernel/failure/errors.ts';
import { isRecord } from './webhook-answer.ts';

const UNKNOWN_AUTHORITY = 'x509: certificate signed by unknown authority';
const OUT_OF_TIME = 'x509: certificate has expired or is not yet valid';

/** Codes of Node for certificates that are refused, in Go's words. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: OUT_OF_TIME,
  CERT_NOT_YET_VALID: OUT_OF_TIME,
};

/** Why no answer came, as Go's HTTP client says it. */
export function noAnswerText(error: unknown): string {
  const code = textIn(error, 'code');
  if (Object.hasOwn(CERTIFICATE_FAULTS, code)) {
    return `tls: failed to verify certificate: ${CERTIFICATE_FAULTS[code]}`;
  }
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${textIn(error, 'address')}:${textIn(error, 'port')}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${textIn(error, 'hostname')}: no such host`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `tls: failed to verify certificate: x509: certificate is not valid for ${textIn(error, 'host')}`;
    case 'ECONNRESET':
      return 'EOF';
    default:
      return errorMessage(error);
  }
}

/** A member of an error of Node, which may be the cause of the given one. */
function textIn(error: unknown, name: string): string {
  if (!(error instanceof Error)) return '';
  const value: unknown = Reflect.get(error, name);
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return textIn(error.cause, name);
}

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/**
 * An answer with a status that is no success.
 * @see apimachinery pkg/api/errors/errors.go NewGenericServerResponse @ v0.36.3
 */
export function refusedText(status: number, body: string, contentType: string): string {
  const said = statusMessage(body);
  if (said !== undefined) return said;
  const isText = contentType === '' || contentType.startsWith('text/');
  const text = !isText || body.trim() === '' ? 'unknown' : body.trim();
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status === 403) return text;
  return status >= 500
    ? `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

function statusMessage(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (!isRecord(value) || value['kind'] !== 'Status' || value['apiVersion'] !== 'v1') return;
    const { message } = value;
    return typeof message === 'string' && message !== '' ? message : undefined;
  } catch {
    return undefined;
  }
}
