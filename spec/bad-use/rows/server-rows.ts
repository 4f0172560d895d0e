import type { ServerResponse } from 'node:http';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { json, RawServer, reset } from '../../client/support/raw-server.ts';
import { statusOf } from '../../client/support/status-failures.ts';
import { CANARY, type BadUseArea } from '../bad-use.ts';

type Answer = (response: ServerResponse) => void;
type Call = (client: Client) => Promise<unknown>;

const getPod: Call = (client) => client.resource('v1', 'pods', { namespace: 'shop' }).get('web');
const listPods: Call = (client) => client.resource('v1', 'pods').list();
const watchPods: Call = (client) => client.resource('v1', 'pods').watch().next();

/** A call to a server that answers every request in one way. */
const to =
  (answer: Answer, call: Call = getPod, token: string = CANARY) =>
  async (): Promise<unknown> => {
    await using server = await RawServer.start((_, response) => answer(response));
    await using client = await connect({ server: server.url, token, env: {} });
    return await call(client);
  };

const text =
  (
    status: number,
    type: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };

const LOGIN = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>';
const BAD_GATEWAY = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

/** The address of a port at which nothing listens. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}

async function unreachable(server: string): Promise<unknown> {
  await using client = await connect({ server, env: {} });
  return await getPod(client);
}

/** A server that does not speak HTTP. */
async function chatter(): Promise<unknown> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.end('220 mail.example.com ESMTP\r\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return await unreachable(`http://127.0.0.1:${port}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

export const SERVERS: BadUseArea = {
  title: 'Servers',
  cases: [
    {
      mistake: 'nothing listens',
      act: async () => await unreachable(`http://${await closedPort()}`),
      code: 'CONNECTION_REFUSED',
      message:
        'GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: nothing listens there; check that the API server runs, and host and port of the server address (connect ECONNREFUSED 127.0.0.1:PORT)',
    },
    {
      mistake: 'a host name that does not resolve',
      act: async () => await unreachable('https://api.no-such-cluster.invalid:6443'),
      code: 'CONNECTION_FAILED',
      message:
        'GET https://api.no-such-cluster.invalid:6443/api/v1/namespaces/shop/pods/web: the host name cannot be resolved; check the server address, VPN and DNS (getaddrinfo ENOTFOUND api.no-such-cluster.invalid)',
    },
    {
      mistake: 'https to a server that speaks http',
      act: async () => {
        await using server = await RawServer.start((_, response) => json(response, {}));
        return await unreachable(server.url.replace('http:', 'https:'));
      },
      code: 'CONNECTION_FAILED',
      message:
        'GET https://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: the server does not speak TLS at this port; check https:// and the port (SSL routines: wrong version number)',
    },
    {
      mistake: 'another protocol',
      act: chatter,
      code: 'CONNECTION_FAILED',
      message:
        'GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: the server does not speak HTTP/1.1 at this port; check http:// and the port (Parse Error: Expected HTTP/, RTSP/ or ICE/)',
    },
    {
      mistake: 'a connection that is reset',
      act: to(reset),
      code: 'CONNECTION_FAILED',
      message:
        'GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: the connection broke; if it happens again, look at the server and at the load balancers and firewalls in front of it (read ECONNRESET)',
    },
    {
      mistake: 'a redirect to a login page',
      act: to(text(302, 'text/html', '', { location: 'https://sso.example.com/login' })),
      code: 'REDIRECT_REFUSED',
      message:
        'GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: the server answered with a redirect (HTTP 302), and credentials are not sent on; use the address of the API server itself',
    },
    {
      mistake: 'a login page with HTTP 200',
      act: to(text(200, 'text/html', LOGIN)),
      code: 'MALFORMED_RESPONSE',
      message:
        'GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: the answer is HTML: this is not an API server (a login page or proxy?); check the server address',
    },
    {
      mistake: 'a login page in place of a list',
      act: to(text(200, 'text/html', LOGIN), listPods),
      code: 'MALFORMED_RESPONSE',
      message:
        'GET http://127.0.0.1:PORT/api/v1/pods: the answer is HTML: this is not an API server (a login page or proxy?); check the server address',
    },
    {
      mistake: 'a login page in place of a watch',
      act: to(text(200, 'text/html', LOGIN), watchPods),
      code: 'MALFORMED_FRAME',
      message:
        'GET http://127.0.0.1:PORT/api/v1/pods: event 1, at byte 0 of the stream: the answer is HTML: this is not an API server (a login page or proxy?); check the server address',
    },
    {
      mistake: 'an answer that is not JSON',
      act: to(text(200, 'text/plain', `hello ${CANARY}`)),
      code: 'MALFORMED_RESPONSE',
      message:
        'GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: the answer is not a JSON object (19 bytes); check the server address',
    },
    {
      mistake: 'a JSON answer of another service',
      act: to(text(200, 'application/json', '{"hello":"world"}'), listPods),
      code: 'MALFORMED_RESPONSE',
      message:
        'GET http://127.0.0.1:PORT/api/v1/pods: it is not a list; check the server address, and the proxies in front of it',
    },
    {
      mistake: 'an empty answer with HTTP 200',
      act: to(text(200, 'application/json', '')),
      code: 'CONNECTION_FAILED',
      message:
        'GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: the answer is empty; check that no proxy drops its body',
    },
    {
      mistake: 'an answer that ends in the middle',
      act: to(text(200, 'application/json', '{"kind":"Pod"')),
      code: 'CONNECTION_FAILED',
      message:
        'GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web: the answer ended in the middle, after 13 bytes; try again',
    },
    {
      mistake: 'a Status of a failure with HTTP 200',
      act: to((response) => json(response, statusOf('NotFound', 404, 'pods "web" not found'), 200)),
      code: 'NOT_FOUND',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): it does not exist; create it, or correct name and namespace',
    },
    {
      mistake: 'a Status of a failure in place of a list',
      act: to((response) => json(response, statusOf('Forbidden', 403, 'no'), 200), listPods),
      code: 'FORBIDDEN',
      message:
        'list pods (GET http://127.0.0.1:PORT/api/v1/pods): no; add {apiGroups: [""], resources: ["pods"], verbs: ["list"]} to a Role or ClusterRole',
    },
    {
      mistake: 'a page of a proxy: 502',
      act: to(text(502, 'text/html', BAD_GATEWAY, { server: 'nginx' })),
      code: 'UNKNOWN_STATUS',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): an HTML page with HTTP 502 from "nginx", not from an API server: 502 Bad Gateway; check that the API server behind this proxy runs',
    },
    {
      mistake: 'a page of a load balancer: 503',
      act: to(
        text(503, 'text/html', '<html><title>503 Service Temporarily Unavailable</title></html>'),
      ),
      code: 'SERVICE_UNAVAILABLE',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): an HTML page with HTTP 503, not from an API server: 503 Service Temporarily Unavailable; check that the API server behind this proxy runs',
    },
    {
      mistake: 'a time-out of a proxy: 504',
      act: to(text(504, 'text/plain', 'upstream request timeout', { server: 'envoy' })),
      code: 'GATEWAY_TIMEOUT',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): an answer with HTTP 504 from "envoy", not from an API server: upstream request timeout; check that the API server behind this proxy runs',
    },
    {
      mistake: 'a page of a firewall: 403',
      act: to(text(403, 'text/html', '<html><title>Request blocked</title></html>')),
      code: 'FORBIDDEN',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): an HTML page with HTTP 403, not from an API server: Request blocked; check the server address, and the proxy in front of it',
    },
    {
      mistake: 'another service at this address: 404',
      act: to(text(404, 'application/json', '{"error":"no route"}')),
      code: 'NOT_FOUND',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): the server has no Kubernetes API at this address; check the server address, its port and its path',
    },
    {
      mistake: 'a teapot',
      act: to(text(418, 'text/plain', "I'm a teapot")),
      code: 'UNKNOWN_STATUS',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): an answer with HTTP 418, not from an API server: I\'m a teapot; check the server address, and the proxy in front of it',
    },
    {
      mistake: 'an error without a body',
      act: to(text(500, 'text/plain', '')),
      code: 'INTERNAL_ERROR',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): an answer with HTTP 500, not from an API server; check the server address, and the proxy in front of it',
    },
    {
      mistake: 'a huge error body',
      act: to(text(500, 'text/plain', 'x'.repeat(3_000_000))),
      code: 'INTERNAL_ERROR',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): an answer with HTTP 500, not from an API server: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; check the server address, and the proxy in front of it',
    },
    {
      mistake: 'escape sequences in an error',
      act: to((response) =>
        json(
          response,
          statusOf(
            'InternalError',
            500,
            '\u001B[31mboom\u001B[0m\r\nlistwatch: all is well\u0007\u202E',
          ),
          500,
        ),
      ),
      code: 'INTERNAL_ERROR',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): boom listwatch: all is well; look into the log of the API server',
    },
    {
      mistake: 'a Status without a message',
      act: to((response) =>
        json(response, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 500 }, 500),
      ),
      code: 'INTERNAL_ERROR',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): the server failed; look into the log of the API server',
    },
    {
      mistake: 'a Status of another code than the answer',
      act: to((response) =>
        json(
          response,
          {
            kind: 'Status',
            apiVersion: 'v1',
            status: 'Failure',
            message: 'not allowed',
            code: 200,
          },
          405,
        ),
      ),
      code: 'METHOD_NOT_ALLOWED',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): not allowed; use a verb that the resource offers: kubectl api-resources -o wide lists them',
    },
    {
      mistake: 'a Status whose fields have other types',
      act: to((response) =>
        json(
          response,
          {
            kind: 'Status',
            apiVersion: 'v1',
            status: 'Failure',
            message: ['x'],
            details: null,
            code: 'many',
          },
          500,
        ),
      ),
      code: 'INTERNAL_ERROR',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): the server failed; look into the log of the API server',
    },
    {
      mistake: 'a proxy that sends the credentials back',
      act: to(text(400, 'text/plain', `bad header authorization: Bearer ${CANARY}`)),
      code: 'BAD_REQUEST',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): an answer with HTTP 400, not from an API server: bad header authorization: Bearer [hidden]; check the server address, and the proxy in front of it',
    },
    {
      mistake: 'too many requests',
      act: to((response) =>
        json(
          response,
          {
            ...statusOf('TooManyRequests', 429, 'too many requests, please try again later'),
            details: { retryAfterSeconds: 1 },
          },
          429,
        ),
      ),
      code: 'TOO_MANY_REQUESTS',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): too many requests, please try again later; try again after 1 s, and send fewer requests',
    },
    {
      mistake: 'too many requests, in the plain text of the limit of an API server',
      act: to(text(429, 'text/plain', 'Too many requests, please try again later.\n')),
      code: 'TOO_MANY_REQUESTS',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): Too many requests, please try again later; try again later, and send fewer requests',
    },
    {
      mistake: 'a webhook that fails',
      act: to((response) =>
        json(
          response,
          statusOf(
            'InternalError',
            500,
            'Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: Post "https://check.shop.svc:443/check?timeout=10s": dial tcp 10.96.0.7:443: connect: connection refused',
          ),
          500,
        ),
      ),
      code: 'INTERNAL_ERROR',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: Post "https://check.shop.svc:443 … eout=10s": dial tcp 10.96.0.7:443: connect: connection refused; check the service of the webhook check.example.com',
    },
    {
      mistake: 'a webhook whose caBundle is of another authority',
      act: to((response) =>
        json(
          response,
          statusOf(
            'InternalError',
            500,
            'Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: Post "https://shop-operator.shop.svc:443/check?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
          ),
          500,
        ),
      ),
      code: 'INTERNAL_ERROR',
      message:
        'get pods "web" in namespace "shop" (GET http://127.0.0.1:PORT/api/v1/namespaces/shop/pods/web): Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: Post "https://shop-operator.shop … ify certificate: x509: certificate signed by unknown authority; set clientConfig.caBundle of the webhook check.example.com to the authority of its certificate, PEM in base64',
    },
    {
      mistake: 'an aggregated API whose server is down',
      act: to(text(503, 'text/plain', 'service unavailable'), (client) =>
        client.resource('metrics.k8s.io/v1beta1', 'pods').list(),
      ),
      code: 'SERVICE_UNAVAILABLE',
      message:
        'list pods (GET http://127.0.0.1:PORT/apis/metrics.k8s.io/v1beta1/pods): service unavailable; look at kubectl get apiservice v1beta1.metrics.k8s.io',
    },
    {
      mistake: 'an exceeded quota',
      act: to(
        (response) =>
          json(
            response,
            statusOf(
              'Forbidden',
              403,
              'pods "web" is forbidden: exceeded quota: small, requested: pods=1, used: pods=10, limited: pods=10',
            ),
            403,
          ),
        (client) =>
          client
            .resource('v1', 'pods', { namespace: 'shop' })
            .create({ metadata: { name: 'web' } }),
      ),
      code: 'FORBIDDEN',
      message:
        'create pods "web" in namespace "shop" (POST http://127.0.0.1:PORT/api/v1/namespaces/shop/pods): pods "web" is forbidden: exceeded quota: small, requested: pods=1, used: pods=10, limited: pods=10; delete objects of the namespace, or raise the ResourceQuota',
    },
    {
      mistake: 'an object that is too large',
      act: to(
        (response) =>
          json(response, statusOf('RequestEntityTooLarge', 413, 'limit is 3145728'), 413),
        (client) =>
          client
            .resource('v1', 'secrets', { namespace: 'shop' })
            .create({ metadata: { name: 'big' } }),
      ),
      code: 'REQUEST_ENTITY_TOO_LARGE',
      message:
        'create secrets "big" in namespace "shop" (POST http://127.0.0.1:PORT/api/v1/namespaces/shop/secrets): the object is larger than the server accepts (limit is 3145728); keep it below 1.5 MiB, and put large data elsewhere',
    },
  ],
};
