import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Each connection has one certificate, so it is parsed once. */
type IdentifiedSocket = TLSSocket & { clientCertificate?: X509Certificate | undefined };

/** The certificate of the client at the other end; undefined if it has shown none. */
export function shownCertificate(socket: Socket): X509Certificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const identified: IdentifiedSocket = socket;
  return (identified.clientCertificate ??= socket.getPeerX509Certificate());
}
