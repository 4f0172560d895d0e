import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { Runtime } from '../../../../kernel/time/runtime.ts';

/** Facts for a message about a certificate that did not verify. Dates are ISO 8601. */
export interface PeerCertificateFacts {
  /** The common name of its issuer. */
  readonly issuer?: string | undefined;
  readonly validFrom: string;
  /** Undefined while it is valid: then a certificate of an authority has expired. */
  readonly expiredAt?: string | undefined;
}

/** The error of a connection whose certificate did not verify, as `notePeerCertificate` completes it. */
interface CertificateError extends Error {
  peerCertificate?: PeerCertificateFacts;
}

/**
 * Adds the dates and the issuer of a certificate that does not verify to the error of its socket, for messages. The errors of Node
 * have neither, and a socket that has failed has no certificate any more.
 */
export function notePeerCertificate(socket: TLSSocket, runtime: Runtime): void {
  let facts: PeerCertificateFacts | undefined;
  // Node verifies in a listener of this event. If a runtime has no such event, the messages have fewer details.
  socket.prependOnceListener('secure', () => {
    facts = factsOf(socket.getPeerCertificate(), runtime);
  });
  const failed = (error: CertificateError): void => {
    if (facts !== undefined) error.peerCertificate = facts;
  };
  socket.prependOnceListener('error', failed);
  socket.once('secureConnect', () => {
    facts = undefined;
    socket.off('error', failed);
  });
}

/** The certificate that led to this error of a connection. */
export function peerCertificateOf(error: unknown): PeerCertificateFacts | undefined {
  return (error as Partial<CertificateError> | null)?.peerCertificate;
}

function factsOf(
  { valid_from: from, valid_to: to, issuer }: PeerCertificate,
  runtime: Runtime,
): PeerCertificateFacts | undefined {
  const fromMs = Date.parse(from);
  const toMs = Date.parse(to);
  if (Number.isNaN(fromMs) || Number.isNaN(toMs)) return undefined;
  const name: unknown = issuer?.CN;
  return {
    issuer: typeof name === 'string' ? printable(name) : undefined,
    validFrom: iso(fromMs),
    expiredAt: toMs < runtime.wallMs() ? iso(toMs) : undefined,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '');
}

/** The most characters of a name that a message shows. */
const LONGEST_NAME = 100;

function printable(name: string): string {
  // oxlint-disable-next-line no-control-regex
  return name.slice(0, LONGEST_NAME).replaceAll(/[\s\x00-\x1f\x7f]+/g, ' ');
}
