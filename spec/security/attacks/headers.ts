import { anonymousMayNot, MAPS, robotMayNot, SECRETS, type Attack } from '../attack.ts';

const anonymous = { status: 403, says: anonymousMayNot('list', 'secrets') } as const;
const robot = { status: 403, says: robotMayNot('list', 'secrets') } as const;
const proxied = [
  ['X-Remote-User', 'admin'],
  ['X-Remote-Group', 'system:masters'],
  ['X-Remote-Extra-Scopes', 'all'],
] as const;

/** Headers, hosts and paths that say something else than the request. */
export const headers: readonly Attack[] = [
  {
    title: 'the headers of an authenticating proxy',
    as: 'none',
    headers: proxied,
    path: SECRETS,
    ...anonymous,
  },
  {
    title: 'the headers of an authenticating proxy, with a token',
    as: 'robot',
    headers: proxied,
    path: SECRETS,
    ...robot,
  },
  {
    title: 'a second Authorization header',
    as: 'robot',
    headers: [['Authorization', 'Bearer {admin}']],
    path: SECRETS,
    ...robot,
  },
  {
    title: 'a valid Authorization header after a wrong one',
    as: 'none',
    headers: [
      ['Authorization', 'Bearer not-a-token-of-this-server'],
      ['Authorization', 'Bearer {admin}'],
    ],
    path: SECRETS,
    status: 401,
    says: 'Unauthorized',
  },
  {
    title: 'two tokens in one Authorization header',
    as: 'none',
    headers: [['Authorization', 'Bearer {robot}, Bearer {admin}']],
    path: SECRETS,
    status: 401,
    says: 'Unauthorized',
  },
  {
    title: 'the token of the administrator in a subprotocol of no web socket',
    as: 'none',
    headers: [['Sec-WebSocket-Protocol', 'base64url.bearer.authorization.k8s.io.{admin64}']],
    path: SECRETS,
    ...anonymous,
  },
  {
    title: 'another method in a header',
    as: 'robot',
    method: 'POST',
    headers: [['X-HTTP-Method-Override', 'GET']],
    path: MAPS,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } },
    status: 403,
    says: robotMayNot('create', 'configmaps'),
  },
  {
    title: 'another path in a header',
    as: 'none',
    headers: [
      ['X-Original-URL', '/version'],
      ['X-Rewrite-URL', '/version'],
    ],
    path: SECRETS,
    ...anonymous,
  },
  {
    title: 'the name of another host, as after DNS rebinding',
    as: 'admin',
    headers: [['Host', 'attacker.example.com']],
    path: SECRETS,
    status: 403,
    says: 'this server is for programs on its own machine: the Host header must be 127.0.0.1, [::1] or localhost',
    ownAnswer: 'kube-apiserver does not look at the name of the host',
  },
  {
    title: 'the name of another host that begins like a local one',
    as: 'admin',
    headers: [['Host', 'localhost.attacker.example.com']],
    path: SECRETS,
    status: 403,
    says: 'this server is for programs on its own machine: the Host header must be 127.0.0.1, [::1] or localhost',
    ownAnswer: 'kube-apiserver does not look at the name of the host',
  },
];
