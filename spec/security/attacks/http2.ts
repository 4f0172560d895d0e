import { MAPS, robotMayNot, SECRETS, type Attack } from '../attack.ts';

const LOCAL = 'this server is for programs on its own machine';
const NO_SUCH_HOST = 'kube-apiserver does not look at the name of the host';
const FLOOD = Array.from({ length: 3000 }, (_, index) => [`x-${index}`, 'a'] as const);
const noVerb =
  'secrets is forbidden: User "system:serviceaccount:default:robot" cannot  resource "secrets"';

const robot = (title: string, status: number, more: Partial<Attack>): Attack => ({
  title,
  as: 'robot',
  protocol: 'h2',
  path: SECRETS,
  status,
  ...more,
});

/** Requests of HTTP/2. */
export const http2: readonly Attack[] = [
  robot('an authority of another host', 403, {
    headers: [[':authority', 'attacker.example.com']],
    says: LOCAL,
    ownAnswer: NO_SUCH_HOST,
  }),
  robot('an authority of another host beside a local Host header', 403, {
    headers: [
      [':authority', 'attacker.example.com'],
      ['host', 'localhost'],
    ],
    says: LOCAL,
    ownAnswer: NO_SUCH_HOST,
  }),
  robot('a path with a host', 0, {
    path: `http://localhost${MAPS}`,
    ownAnswer: 'the library of Node resets the stream; kube-apiserver takes the path',
  }),
  robot('a path without a slash', 0, { path: SECRETS.slice(1) }),
  robot('an empty path', 0, { path: '' }),
  robot('a method in lower case over HTTP/2', 403, { method: 'get', says: noVerb }),
  robot('a method with the name of a member of objects', 403, {
    method: 'constructor',
    says: noVerb,
  }),
  robot('a method with the name of the prototype', 403, { method: '__proto__', says: noVerb }),
  robot('impersonation after 3,000 headers over HTTP/2', 403, {
    path: MAPS,
    headers: [...FLOOD, ['impersonate-user', 'helper']],
    says: 'configmaps is forbidden: User "helper"',
  }),
  robot('the headers of an authenticating proxy over HTTP/2', 403, {
    headers: [
      ['x-remote-user', 'admin'],
      ['x_remote_user', 'admin'],
      ['x-remote-group', 'system:masters'],
    ],
    says: robotMayNot('list', 'secrets'),
  }),
  robot('a tunnel by the extended CONNECT', 0, {
    method: 'CONNECT',
    path: SECRETS,
    headers: [[':protocol', 'websocket']],
  }),
  robot('a length that the body does not have', 0, {
    method: 'POST',
    path: MAPS,
    headers: [
      ['content-length', '500'],
      ['content-type', 'application/json'],
    ],
    body: {},
    ownAnswer: 'kube-apiserver answers 403 before it reads the body',
  }),
];
