import { constants as tlsConstants, type X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls';
import type { Certificate } from '../../../kernel/certificates/certificate-authority.ts';

/** Each connection has one certificate, so it is parsed once. */
type IdentifiedSocket = TLSSocket & { clientCertificate?: X509Certificate | undefined };

/** The certificate of the client at the other end; undefined if it has shown none. */
export function shownCertificate(socket: Socket): X509Certificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const identified: IdentifiedSocket = socket;
  return (identified.clientCertificate ??= socket.getPeerX509Certificate());
}

export interface TlsGreetingOptions {
  /** Called for each client; returns the same object until there is a new certificate. */
  readonly certificate: () => Certificate;
  readonly asksForCertificate: () => boolean;
}

/** The first byte of a TLS client: the record type of a handshake. */
export const TLS_HANDSHAKE = 0x16;

/**
 * The server's side of TLS handshakes, on sockets that another server has accepted.
 *
 * Guarantee: a new certificate is presented to the next client; open connections keep theirs.
 */
export class TlsGreeting {
  readonly #options: TlsGreetingOptions;
  #presented: { readonly certificate: Certificate; readonly context: SecureContext } | undefined;

  constructor(options: TlsGreetingOptions) {
    this.#options = options;
  }

  /** Calls `ready` with the inside of the connection after the handshake. A handshake that fails destroys the socket. */
  greet(socket: Socket, ready: (inner: Socket) => void): void {
    const inner = new TLSSocket(socket, {
      isServer: true,
      secureContext: this.#secureContext(),
      ALPNProtocols: ['h2', 'http/1.1'],
      // The handler refuses a certificate, so that other credentials of the request can count.
      requestCert: this.#options.asksForCertificate(),
      rejectUnauthorized: false,
    });
    inner.on('error', () => socket.destroy());
    inner.once('secure', () => {
      // A server of `node:tls` does this; HTTP/2 waits for it.
      Object.assign(inner, { secureConnecting: false });
      ready(inner);
    });
  }

  /** Making a context takes some hundred microseconds, so it is kept as long as its certificate. */
  #secureContext(): SecureContext {
    const certificate = this.#options.certificate();
    if (this.#presented?.certificate !== certificate) {
      const context = createSecureContext({
        cert: certificate.certificate,
        key: certificate.privateKey,
        // Required to resume a session of a client with a certificate.
        sessionIdContext: 'listwatch',
        // A connection keeps its certificate, and handshakes cost more than requests.
        secureOptions: tlsConstants.SSL_OP_NO_RENEGOTIATION,
      });
      this.#presented = { certificate, context };
    }
    return this.#presented.context;
  }
}
