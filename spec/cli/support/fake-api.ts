import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, type Script } from '../../client/support/raw-server.ts';

/** Answers one path in its own way; the path is without its query. */
export type Answers = Readonly<
  Record<string, (response: ServerResponse, request: IncomingMessage, body: Buffer) => void>
>;

const GROUPS = [
  { name: 'apps', versions: ['v1'] },
  { name: 'metrics.k8s.io', versions: ['v1beta1'] },
].map(({ name, versions }) => ({
  name,
  versions: versions.map((version) => ({ groupVersion: `${name}/${version}`, version })),
  preferredVersion: { groupVersion: `${name}/${versions[0]}`, version: versions[0] },
}));

const VERBS = ['get', 'list', 'watch'];

const CORE = [
  {
    name: 'pods',
    singularName: 'pod',
    kind: 'Pod',
    shortNames: ['po'],
    namespaced: true,
    verbs: VERBS,
  },
  { name: 'pods/log', kind: 'Pod', namespaced: true },
  { name: 'nodes', singularName: 'node', kind: 'Node', namespaced: false, verbs: VERBS },
];

export function refusal(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
): void {
  json(
    response,
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code },
    code,
  );
}

export function forbidden(response: ServerResponse): void {
  refusal(response, 403, 'Forbidden', 'User "jane" cannot do that');
}

function list(response: ServerResponse, request: IncomingMessage): void {
  const query = new URL(request.url ?? '', 'http://api').searchParams;
  if (query.get('resourceVersionMatch') === 'Unknown') {
    return refusal(response, 422, 'Invalid', 'resourceVersionMatch: Unsupported value');
  }
  if (query.get('watch') === 'true') return watch(response);
  const isSecond = query.get('continue') === 'second';
  const items = isSecond ? [{ metadata: { name: 'c' } }] : [{ metadata: { name: 'a' } }, {}];
  const metadata = { resourceVersion: '7', ...(isSecond ? {} : { continue: 'second' }) };
  json(response, { kind: 'PodList', apiVersion: 'v1', metadata, items });
}

function watch(response: ServerResponse): void {
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const events = [
    { type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: '5' } } },
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '7', annotations } } },
  ];
  response.writeHead(200, { 'content-type': 'application/json' });
  for (const event of events) response.write(`${JSON.stringify(event)}\n`);
}

/** The paths that the doctor asks, as an API server answers them. */
const ANSWERS: Answers = {
  '/version': (response) =>
    json(response, { gitVersion: 'v1.36.0', platform: 'linux/amd64', major: '1', minor: '36' }),
  '/apis/authentication.k8s.io/v1/selfsubjectreviews': (response) =>
    json(response, { status: { userInfo: { username: 'jane', groups: ['developers'] } } }, 201),
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': (response) =>
    json(response, { status: { allowed: true } }, 201),
  '/api': (response) => json(response, { kind: 'APIVersions', versions: ['v1'] }),
  '/apis': (response) => json(response, { kind: 'APIGroupList', groups: GROUPS }),
  '/api/v1': (response) => json(response, { kind: 'APIResourceList', resources: CORE }),
  '/apis/apps/v1': (response) =>
    json(response, {
      kind: 'APIResourceList',
      resources: [
        {
          name: 'deployments',
          singularName: 'deployment',
          kind: 'Deployment',
          shortNames: ['deploy'],
          namespaced: true,
          verbs: VERBS,
        },
      ],
    }),
  '/apis/metrics.k8s.io/v1beta1': (response) =>
    json(response, {
      kind: 'APIResourceList',
      resources: [
        {
          name: 'pods',
          singularName: 'pod',
          kind: 'PodMetrics',
          namespaced: true,
          verbs: ['get', 'list'],
        },
      ],
    }),
  '/api/v1/pods': list,
  '/api/v1/nodes': list,
  '/api/v1/namespaces/shop/pods': list,
  '/apis/apps/v1/deployments': list,
};

/** An API server with a few answers replaced; `*` replaces those of all paths. */
export function fakeApi(replaced: Answers = {}): Script {
  return (request, response, body) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const answer = replaced[path] ?? replaced['*'] ?? ANSWERS[path];
    if (answer === undefined) return refusal(response, 404, 'NotFound', `no ${path}`);
    return answer(response, request, body);
  };
}
