import { RawServer, type Script } from '../../support/raw-server.ts';
import {
  expired,
  notYetValid,
  TestAuthority,
  type ServerCertificateOptions,
} from '../../support/test-authority.ts';
import { Tap } from '../support/tap.ts';
import { encounter, type BadInput, type Encounter } from './bad-input.ts';

const TOKEN = 'a-constant-token';

/** An HTTPS server whose answers are scripted, and a client that trusts it. */
async function scripted(script: Script): Promise<Encounter> {
  const authority = new TestAuthority();
  const { certificate: cert, privateKey: key } = authority.server();
  const server = await RawServer.start(script, { cert, key });
  const options = { server: server.url, token: TOKEN, tls: { ca: authority.certificate } };
  return encounter(options, () => server.requests.length, server);
}

/** A server with a certificate that the client does not accept. */
async function certified(
  certificate: ServerCertificateOptions,
  trusted?: TestAuthority,
): Promise<Encounter> {
  const authority = new TestAuthority();
  const { certificate: cert, privateKey: key } = authority.server(certificate);
  const server = await RawServer.start((_request, response) => void response.end(), { cert, key });
  const tap = await Tap.start(server.port);
  const tls = { ca: (trusted ?? authority).certificate };
  const options = { server: `https://127.0.0.1:${tap.port}`, token: TOKEN, tls };
  return encounter(options, () => tap.connections, tap, server);
}

const page = (status: number): Script => {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
  };
};

export const badServers: readonly BadInput[] = [
  {
    name: 'a server that redirects',
    code: 'REDIRECT_REFUSED',
    cause: /redirect \(HTTP 302\), and credentials are not sent on/,
    remedy: /use the address of the API server itself/,
    open: () =>
      scripted((_request, response) => {
        response.writeHead(302, { location: 'https://login.example/' }).end();
      }),
  },
  {
    name: 'a server that answers with a page instead of JSON',
    code: 'MALFORMED_RESPONSE',
    cause: /the answer is HTML/,
    remedy: /check the server address/,
    open: () => scripted(page(200)),
  },
  {
    name: 'a gateway that answers 502 with a page',
    code: 'UNKNOWN_STATUS',
    cause: /HTML page with HTTP 502/,
    remedy: /check that the API server behind this proxy runs/,
    open: () => scripted(page(502)),
  },
  {
    name: 'a server that never answers',
    code: 'REQUEST_TIMEOUT',
    cause: /no answer within 75000 ms/,
    remedy: /check that the server is reachable, or raise timeouts\.headersMs/,
    waits: true,
    open: async () => {
      const met = await scripted(() => {});
      // The limit of a connection is shorter, and a slow machine would reach it in hurried time.
      return { ...met, options: { ...met.options, timeouts: { connectMs: Infinity } } };
    },
  },
  {
    name: 'a server that closes every connection',
    code: 'CONNECTION_FAILED',
    cause: /the connection broke/,
    remedy: /look at the server and at the load balancers and firewalls in front of it/,
    open: () => scripted((request) => void request.socket.destroy()),
  },
  {
    name: 'a certificate that has expired',
    code: 'CERTIFICATE',
    cause: /server's certificate expired on 20/,
    remedy: /renew it, or correct the clock of this machine/,
    open: () => certified(expired()),
  },
  {
    name: 'a certificate that is not valid yet',
    code: 'CERTIFICATE',
    cause: /certificate of the server is not valid yet/,
    remedy: /correct the clock of this machine/,
    open: () => certified(notYetValid()),
  },
  {
    name: 'a certificate of another authority',
    code: 'CERTIFICATE',
    cause: /not signed by a known authority/,
    remedy: /give the cluster's certificate-authority/,
    open: () => certified({}, new TestAuthority()),
  },
  {
    name: 'a certificate for another host',
    code: 'CERTIFICATE',
    cause: /127\.0\.0\.1 was asked for, and it is for other\.test/,
    remedy: /use one of these names in the server address, or set tls-server-name/,
    open: () => certified({ hosts: ['other.test'] }),
  },
  {
    name: 'an HTTP server at an https address',
    code: 'CONNECTION_FAILED',
    cause: /the server does not speak TLS at this port/,
    remedy: /check https:\/\/ and the port/,
    open: async () => {
      const server = await RawServer.start((_request, response) => void response.end());
      const tap = await Tap.start(server.port);
      const options = { server: `https://127.0.0.1:${tap.port}`, token: TOKEN };
      return encounter(options, () => tap.connections, tap, server);
    },
  },
  {
    name: 'an address at which nothing listens',
    code: 'CONNECTION_REFUSED',
    cause: /nothing listens there/,
    remedy: /check that the API server runs, and host and port/,
    open: async () => {
      const tap = await Tap.start(1);
      const server = `https://127.0.0.1:${tap.port}`;
      await tap[Symbol.asyncDispose]();
      return encounter({ server, token: TOKEN }, () => 0);
    },
  },
];
