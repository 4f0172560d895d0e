import type { FailureLeaf } from './failure-leaf.ts';
import type { Peer } from './peer.ts';

/** Cause and remedy of a failed TLS handshake. */
export interface TlsCause {
  /** `CERTIFICATE`: a certificate or a key is the cause. */
  readonly code: 'CERTIFICATE' | 'CONNECTION_FAILED';
  readonly text: string;
}

const HANDSHAKE_FAILURE = 40;
const PROTOCOL_VERSION = 70;
const UNRECOGNIZED_NAME = 112;
const CERTIFICATE_REQUIRED = 116;

/** Alerts about the client's certificate (RFC 8446, section 6), with cause and remedy. */
const CERTIFICATE_ALERTS: ReadonlyMap<number, string> = new Map([
  [
    HANDSHAKE_FAILURE,
    'broke off the TLS handshake; give a client certificate that it accepts, or let it offer a cipher of TLS 1.2 or 1.3',
  ],
  [
    42,
    'does not accept the client certificate; give one of its own client authority, with its chain',
  ],
  [43, 'does not accept the kind of the client certificate; give one for client authentication'],
  [44, 'says that the client certificate was revoked; give another one'],
  [45, "says that the client certificate has expired; renew it, or correct the server's clock"],
  [46, 'does not accept the client certificate; give one for client authentication'],
  [
    48,
    'does not know the authority of the client certificate; give a certificate of its own client authority',
  ],
  [49, 'grants the client certificate no access; give another one'],
  [51, 'cannot verify the client certificate; check that the client key belongs to it'],
  [CERTIFICATE_REQUIRED, 'requires a client certificate; give client-certificate and client-key'],
]);

/** The names of these alerts in the codes of Node, e.g. ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED. */
const ALERT_NAMES: ReadonlyMap<string, number> = new Map([
  ['HANDSHAKE_FAILURE', HANDSHAKE_FAILURE],
  ['BAD_CERTIFICATE', 42],
  ['UNSUPPORTED_CERTIFICATE', 43],
  ['CERTIFICATE_REVOKED', 44],
  ['CERTIFICATE_EXPIRED', 45],
  ['CERTIFICATE_UNKNOWN', 46],
  ['UNKNOWN_CA', 48],
  ['ACCESS_DENIED', 49],
  ['DECRYPT_ERROR', 51],
  ['PROTOCOL_VERSION', PROTOCOL_VERSION],
  ['UNRECOGNIZED_NAME', UNRECOGNIZED_NAME],
  ['CERTIFICATE_REQUIRED', CERTIFICATE_REQUIRED],
]);

/** Cause and remedy of an error within a TLS handshake. Undefined: it is not known, or not about TLS. */
export function tlsCause(leaf: FailureLeaf, peer: Peer): TlsCause | undefined {
  const alert = alertOf(leaf);
  const refusal = alert === undefined ? undefined : CERTIFICATE_ALERTS.get(alert);
  if (refusal !== undefined) return { code: 'CERTIFICATE', text: `the ${peer.noun} ${refusal}` };
  const text = handshakeCause(leaf, alert, peer);
  return text === undefined ? undefined : { code: 'CONNECTION_FAILED', text };
}

/** Whether the server broke off the handshake because of the certificate of the client, or because there was none. */
export function isRefusedByAlert(leaf: FailureLeaf): boolean {
  const alert = alertOf(leaf);
  return alert !== undefined && CERTIFICATE_ALERTS.has(alert);
}

function handshakeCause(
  { code, message }: FailureLeaf,
  alert: number | undefined,
  { noun, address }: Peer,
): string | undefined {
  if (
    alert === PROTOCOL_VERSION ||
    /UNSUPPORTED_PROTOCOL|unsupported protocol/.test(code + message)
  ) {
    return `the ${noun} speaks only TLS versions before 1.2; let it offer TLS 1.2 or 1.3`;
  }
  if (alert === UNRECOGNIZED_NAME) {
    return `the ${noun} has no certificate for this host name; use its name in ${address}, or set tls-server-name`;
  }
  if (alert !== undefined) return `the ${noun} broke off the TLS handshake; look at its log`;
  if (code === 'ECONNRESET' && message.includes('before secure TLS connection')) {
    return `the ${noun} closed the connection within the TLS handshake; check that it speaks TLS at this port, and accepts the client certificate if there is one`;
  }
  if (code === 'EPROTO' || /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH)/.test(code)) {
    return `the ${noun} does not speak TLS at this port; check https:// and the port`;
  }
  return undefined;
}

/** The number of the alert that ended the handshake. */
function alertOf({ code, message }: FailureLeaf): number | undefined {
  const number = /^TLS alert (\d+):/.exec(message)?.[1];
  if (number !== undefined) return Number(number);
  const name = /^ERR_SSL_.*?ALERT_(.+)$/.exec(code)?.[1];
  return name === undefined ? undefined : (ALERT_NAMES.get(name) ?? -1);
}
