import { MAPS, robotMayNot, SECRETS, type Attack } from '../attack.ts';

const SMUGGLED = 'GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n';
const END = 'Connection: close\r\n\r\n';
const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
const BODY = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}';
const SIZE = BODY.length.toString(16);
const STRICT = 'the parser of Node refuses it; kube-apiserver ';
const LOCAL = 'this server is for programs on its own machine';
const NO_SUCH_HOST = 'kube-apiserver does not look at the name of the host';
const SOCKET =
  'Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const FLOOD = Array.from({ length: 3000 }, (_, index) => `X-${index}: a\r\n`).join('');

const robot = (
  title: string,
  text: string,
  status: number,
  more: Partial<Attack> = {},
): Attack => ({
  title,
  as: 'robot',
  path: MAPS,
  text,
  status,
  ...more,
});
const body = (title: string, chunks: string, ownAnswer: string): Attack => ({
  title,
  as: 'admin',
  method: 'POST',
  path: `${MAPS}?dryRun=All`,
  text: `${CHUNKED}${END}${chunks}`,
  status: 400,
  ownAnswer,
});
const CHUNK_500 = `${STRICT}answers 500`;

/** The bytes on the wire. */
export const wire: readonly Attack[] = [
  robot(
    'a length and chunks',
    `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n${END}0\r\n\r\n${SMUGGLED}`,
    400,
    { ownAnswer: `${STRICT}takes the chunks` },
  ),
  robot('two lengths', `Content-Length: 0\r\nContent-Length: 5\r\n${END}hello`, 400),
  robot('the same length twice', `Content-Length: 0\r\nContent-Length: 0\r\n${END}`, 400, {
    ownAnswer: `${STRICT}takes it`,
  }),
  robot('a length with a sign', `Content-Length: +0\r\n${END}`, 400),
  robot('a length and a space before the colon', `Content-Length : 0\r\n${END}`, 400),
  robot('two transfer encodings', `Transfer-Encoding: gzip, chunked\r\n${END}0\r\n\r\n`, 501),
  robot(
    'a transfer encoding that only looks like chunks',
    `Transfer-Encoding: xchunked\r\n${END}`,
    400,
    { ownAnswer: `${STRICT}answers 501` },
  ),
  robot(
    'chunks and a transfer encoding after them',
    `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n${END}0\r\n\r\n`,
    400,
    { ownAnswer: `${STRICT}answers 501` },
  ),
  body('a chunk of a size in another notation', `0x${SIZE}\r\n${BODY}\r\n0\r\n\r\n`, CHUNK_500),
  body('a chunk of a size below nothing', `-${SIZE}\r\n${BODY}\r\n0\r\n\r\n`, CHUNK_500),
  body('a chunk of a size beyond 64 bits', `f${'f'.repeat(16)}\r\n${BODY}\r\n0\r\n\r\n`, CHUNK_500),
  body('a chunk that is longer than its size', `5\r\n${BODY}\r\n0\r\n\r\n`, CHUNK_500),
  body('a chunk whose line ends without a carriage return', `${SIZE}\n${BODY}\n0\n\n`, CHUNK_500),
  body('an extension of a chunk with a line feed', `${SIZE};a\n${BODY}\r\n0\r\n\r\n`, CHUNK_500),
  robot(
    'credentials in a trailer',
    `Transfer-Encoding: chunked\r\nTrailer: Authorization\r\n${END}0\r\nAuthorization: Bearer {admin}\r\n\r\n`,
    403,
    { path: SECRETS, says: robotMayNot('list', 'secrets') },
  ),
  robot('a header over two lines', `X-A: a\r\n b\r\n${END}`, 400, {
    ownAnswer: `${STRICT}joins the lines`,
  }),
  robot('a credential over two lines', `Authorization:\r\n Bearer {admin}\r\n${END}`, 400, {
    as: 'none',
    path: SECRETS,
    ownAnswer: `${STRICT}joins the lines`,
  }),
  robot('lines that end without a carriage return', `X-A: a\n${END}`, 400, {
    ownAnswer: `${STRICT}takes it`,
  }),
  robot('a carriage return in a header', `X-A: a\rImpersonate-User: helper\r\n${END}`, 400),
  robot('a NUL in a header', `X-A: a\0\r\n${END}`, 400),
  robot('a space in the name of a header', `X A: a\r\n${END}`, 400),
  robot(
    'the headers of an authenticating proxy with underscores',
    `X_Remote_User: admin\r\nX_Remote_Group: system:masters\r\n${END}`,
    403,
    { path: SECRETS, says: robotMayNot('list', 'secrets') },
  ),
  robot('impersonation in upper case', `IMPERSONATE-USER: helper\r\n${END}`, 403, {
    says: 'configmaps is forbidden: User "helper"',
  }),
  robot('impersonation with underscores', `Impersonate_User: helper\r\n${END}`, 403, {
    path: SECRETS,
    says: robotMayNot('list', 'secrets'),
  }),
  robot('impersonation after 3,000 headers', `${FLOOD}Impersonate-User: helper\r\n${END}`, 403, {
    says: 'configmaps is forbidden: User "helper"',
  }),
  robot('impersonation of a name outside ASCII', `Impersonate-User: \u00c3\u00a9\r\n${END}`, 403, {
    as: 'admin',
    says: 'configmaps is forbidden: User "\u00e9"',
  }),
  robot('headers of more than 1 MiB', `X-A: ${'a'.repeat(1_100_000)}\r\n${END}`, 431),
  robot('two Host headers', `Host: localhost\r\nHost: attacker.example.com\r\n${END}`, 400),
  robot('a Host header that is none', `Host: attacker.example.com@localhost\r\n${END}`, 400),
  robot('an address of another host, as for a proxy', END, 403, {
    path: `http://attacker.example.com${MAPS}`,
    says: LOCAL,
    ownAnswer: NO_SUCH_HOST,
  }),
  robot('an address with another resource, as for a proxy', END, 403, {
    path: `https://localhost${SECRETS}`,
    says: robotMayNot('list', 'secrets'),
  }),
  robot('an address without a path, as for a proxy', END, 400, { path: '127.0.0.1:443' }),
  robot('a method in lower case', END, 400, { method: 'get', ownAnswer: `${STRICT}answers 403` }),
  robot('a method that is none', END, 400, {
    method: 'LIST',
    path: SECRETS,
    ownAnswer: `${STRICT}answers 403`,
  }),
  robot('a tunnel', END, 0, {
    method: 'CONNECT',
    path: 'localhost:22',
    ownAnswer: 'kube-apiserver answers 403',
  }),
  robot('backslashes', END, 403, {
    path: '/api\\v1\\namespaces\\default\\secrets',
    says: 'forbidden: User "system:serviceaccount:default:robot" cannot get path',
  }),
  robot('another method of a public path', END, 403, {
    method: 'OPTIONS',
    path: '/version',
    says: 'forbidden: User "system:serviceaccount:default:robot" cannot options path "/version"',
  }),
  robot('another version of HTTP', END, 505, { path: `${MAPS} HTTP/2.0\r\nX-A: ` }),
  robot('a web socket of what may not be watched', `${SOCKET}\r\n`, 403, {
    path: `${SECRETS}?watch=1`,
  }),
  robot(
    'a web socket with a subprotocol that acts as another',
    `${SOCKET}Sec-WebSocket-Protocol: base64url.impersonate-user.authorization.k8s.io.Ym9zcw, x\r\n\r\n`,
    403,
    { path: `${SECRETS}?watch=1` },
  ),
  robot(
    'a web socket with the token of the administrator beside the own',
    `${SOCKET}Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.{admin64}, x\r\n\r\n`,
    403,
    { path: `${SECRETS}?watch=1` },
  ),
  robot(
    'a web socket with two tokens',
    `${SOCKET}Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.{admin64}, base64url.bearer.authorization.k8s.io.{admin64}, x\r\n\r\n`,
    401,
    { as: 'none', path: `${SECRETS}?watch=1` },
  ),
];
