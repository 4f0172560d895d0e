import { get, patch, post, put, setup, type Draw } from '../draw.ts';
import {
  allKinds,
  collectionPath,
  configMaps,
  draftOf,
  kindsInNamespaces,
  objectPath,
  pods,
  services,
  secrets,
  deployments,
  withMember,
} from '../objects.ts';
import type { Step } from '../scenario.ts';

const maps = collectionPath(configMaps);
const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
export const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

const GROUPS = [
  'apps/v1',
  'batch/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'networking.k8s.io/v1',
  'storage.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'node.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'admissionregistration.k8s.io/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'certificates.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'resource.k8s.io/v1',
];

/** Every request of discovery once; a scenario takes one after the other. */
const DISCOVERY: readonly Step[] = [
  ...['/api', '/apis', '/api/v1', '/version', '/healthz', '/livez', '/readyz'].map((path) =>
    get(path),
  ),
  ...GROUPS.map((group) => get(`/apis/${group}`)),
  ...GROUPS.map((group) => get(`/apis/${group.split('/')[0]}`)),
  ...['/api', '/apis'].map((path) => get(path, { accept: AGGREGATED })),
  ...['/api', '/apis'].map((path) =>
    get(path, {
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
    }),
  ),
  ...['/api', '/apis', '/api/v1', '/apis/apps/v1', '/version'].map((path) =>
    get(path, { accept: 'application/yaml' }),
  ),
  ...['/api', '/apis', '/api/v1', '/apis/apps/v1'].map((path) =>
    get(path, { accept: 'application/vnd.kubernetes.protobuf' }),
  ),
  ...[
    '/apis/nope.example',
    '/apis/nope.example/v1',
    '/apis/apps/v9',
    '/api/v2',
    '/nope',
    '/apix',
  ].map((path) => get(path)),
  ...['/apis/nope.example/v1/things', '/apis/apps/v1/nope', '/api/v1/nope', '/api/v1/nope/one'].map(
    (path) => get(path),
  ),
  ...[
    '/apis/apps/v1/namespaces/default/nope',
    '/api/v1/namespaces/default/nope/x',
    '/api/',
    '/apis/',
  ].map((path) => get(path)),
  ...['/healthz/ping', '/livez/ping', '/readyz/ping', '/healthz/nope', '/healthz/etcd'].map(
    (path) => get(path),
  ),
  ...['/api', '/apis', '/api/v1', '/apis/apps', '/apis/apps/v1', '/version'].flatMap((path) =>
    ['POST', 'DELETE', 'PUT', 'PATCH', 'HEAD'].map((method) => ({ method, path })),
  ),
  ...[
    '/openapi/v3',
    '/openapi/v2',
    '/openapi/v3/api/v1',
    '/openapi/v3/apis/apps/v1',
    '/openapi/v3/apis/batch/v1',
    '/openapi/v3/apis/rbac.authorization.k8s.io/v1',
    '/openapi/v3/version',
    '/',
    '/metrics/nope',
  ].map((path) => get(path)),
  ...[
    '/.well-known/openid-configuration',
    '/openapi/v3/apis/nope/v1',
    '/logs/nope',
    '/healthz?verbose=1&x=y',
  ].map((path) => get(path)),
];

export function discovery(_draw: Draw, index: number): readonly Step[] {
  const first = (index * 4) % DISCOVERY.length;
  return DISCOVERY.slice(first, first + 4);
}

/** How many scenarios of discovery there are; more would repeat them. */
export const DISCOVERY_SCENARIOS: number = Math.ceil(DISCOVERY.length / 4);

/** Neighbours in the table are much alike; the stride has no factor in common with its length. */
const STRIDE = 7;

/** One life of a kind, one after the other, so that no kind is left out. */
export function kinds(draw: Draw, index: number): readonly Step[] {
  const kind = allKinds[(index * STRIDE) % allKinds.length]!;
  const collection = collectionPath(kind);
  const one = objectPath(kind, 'one');
  const label = { metadata: { labels: { tier: 'front' } } };
  const selected = `${collection}?labelSelector=tier%3Dfront${kind.namespaced ? '' : '%2Cscenario%3D{ns}'}`;
  const body = withMember(draftOf(kind, 'one'), 'metadata.labels', { scenario: '{ns}' });
  return [
    post(collection, body),
    get(one),
    patch(draw.pick(['merge', 'strategic'] as const), one, label),
    get(selected),
    get(one, { accept: TABLE }),
    get(`${collection}?labelSelector=scenario%3D{ns}`, { accept: TABLE }),
    draw.chance(0.5) ? get(objectPath(kind, 'none')) : post(collection, body),
    draw.chance(0.7)
      ? { method: 'DELETE', path: one }
      : { method: 'DELETE', path: `${collection}?labelSelector=scenario%3D{ns}` },
    get(one),
  ];
}

const ACCEPTS = [
  'application/json',
  'application/yaml',
  '*/*',
  'application/*',
  'text/html,application/xhtml+xml,*/*;q=0.8',
  'text/plain',
  'application/xml',
  'application/cbor',
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf,application/json',
  'application/json;charset=utf-8',
  'application/json;pretty=1',
  'application/yaml;q=0.5,application/json;q=0.9',
  TABLE,
  `${TABLE},application/json`,
  'application/json;as=Table;g=meta.k8s.io;v=v1beta1',
  'application/json;as=Table;g=meta.k8s.io;v=v9',
  'application/json;as=Table;g=other;v=v1',
  'application/json;as=Chair;g=meta.k8s.io;v=v1',
  'application/yaml;as=Table;g=meta.k8s.io;v=v1',
  PARTIAL,
  PARTIAL_LIST,
  `${PARTIAL_LIST},application/json`,
  'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'nonsense',
  'application/json;as=',
  'application/json;stream=watch',
  'application/json;q=0',
];

const BODIES: readonly (readonly [string, string])[] = [
  ['application/json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b1"}}'],
  [
    'application/json; charset=utf-8',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b2"}}',
  ],
  ['application/yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b3\ndata: {a: "1"}\n'],
  ['application/yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b4\ndata: {a: 1}\n'],
  ['application/yaml', '- not\n- a map\n'],
  ['application/yaml', 'a: b: c'],
  ['text/plain', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b5"}}'],
  ['', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b6"}}'],
  ['application/merge-patch+json', '{}'],
  ['application/cbor', 'x'],
  ['application/vnd.kubernetes.protobuf', 'not protobuf'],
  ['application/json', ''],
  ['application/json', '{'],
  ['application/json', 'null'],
  ['application/json', '[]'],
  ['application/json', '"text"'],
  ['application/json', '{}'],
  ['application/json', '{"kind":"ConfigMap","metadata":{"name":"b7"}}'],
  ['application/json', '{"apiVersion":"v1","metadata":{"name":"b8"}}'],
  ['application/json', '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"b9"}}'],
  ['application/json', '{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"b9"}}'],
  ['application/json', '{"apiVersion":"v1","kind":"configmap","metadata":{"name":"b9"}}'],
  ['application/json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c1"}} trailing'],
  [
    'application/json',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c2"},"data":{"a":"1","a":"2"}}',
  ],
  [
    'application/json',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c3"},"Data":{"a":"1"}}',
  ],
  [
    'application/json',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c4"},"data":{"a":1}}',
  ],
  ['application/json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":"c5"}'],
  [
    'application/json',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c6"},"__proto__":{"a":1}}',
  ],
  [
    'application/json',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c7"},"binaryData":{"a":"%%"}}',
  ],
];

export function negotiation(draw: Draw): readonly Step[] {
  const other = draw.pick(kindsInNamespaces);
  const accept = (): Record<string, string> => ({ accept: draw.pick(ACCEPTS) });
  const one = `${maps}/one`;
  const bodies = draw
    .some(BODIES, 2)
    .map(([type, body]) => post(maps, body, { 'content-type': type }));
  const version = draw.pick([
    '',
    '?pretty=true',
    '?pretty=0',
    '?watch=nonsense',
    '?limit=x',
    '?timeout=1s',
  ]);
  const patchType = draw.pick([
    'application/json',
    'text/plain',
    'application/yaml',
    'application/merge-patch+json; charset=utf-8',
    'application/apply-patch+json',
    '',
  ]);
  return [
    setup(post(maps, draftOf(configMaps, 'one'))),
    get(one, accept()),
    get(`${maps}${version}`, accept()),
    get(`${maps}/missing`, accept()),
    ...bodies,
    post(maps, draftOf(configMaps, 'two'), accept()),
    {
      method: 'PATCH',
      path: one,
      body: { data: { a: 'b' } },
      headers: { 'content-type': patchType },
    },
    put(
      one,
      draftOf(configMaps, 'one'),
      draw.chance(0.5) ? accept() : { 'content-type': 'text/html' },
    ),
    get(`${maps}?watch=1&timeoutSeconds=1`, accept()),
    setup(post(collectionPath(other), draftOf(other, 'other'))),
    get(collectionPath(other), accept()),
    get(objectPath(other, 'other'), accept()),
  ];
}

const REVISIONS = ['', '0', '{rv:1}', '{rv:0}', '999999999999', 'abc', '-1'];
const MATCHES = ['', 'Exact', 'NotOlderThan', 'Other'];

/** Pages, versions and the rules on their combination. */
export function list(draw: Draw): readonly Step[] {
  const kind = draw.chance(0.5)
    ? draw.pick([configMaps, secrets, pods, services, deployments])
    : draw.pick(kindsInNamespaces);
  const collection = collectionPath(kind);
  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, 3 + draw.below(3));
  const created = names.map((name) => setup(post(collection, draftOf(kind, name))));
  const first = created.length;
  const limit = 1 + draw.below(3);
  const accept: Record<string, string> = draw.chance(0.3)
    ? { accept: draw.pick([TABLE, PARTIAL_LIST]) }
    : {};
  const odd = (): Step => {
    const query = new URLSearchParams();
    const revision = draw.pick(REVISIONS);
    if (revision !== '' || draw.chance(0.2)) query.set('resourceVersion', revision);
    const match = draw.pick(MATCHES);
    if (match !== '') query.set('resourceVersionMatch', match);
    if (draw.chance(0.4)) query.set('limit', draw.pick(['1', '2', '0', '500', '-1']));
    if (draw.chance(0.1)) query.set('continue', draw.pick(['nonsense', '', 'e30', '{continue:3}']));
    const text = query
      .toString()
      .replaceAll('%7B', '{')
      .replaceAll('%7D', '}')
      .replaceAll('%3A', ':');
    return get(`${collection}?${text}`);
  };
  return [
    ...created,
    get(`${collection}?limit=${limit}`, accept),
    get(`${collection}?limit=${limit}&continue={continue:${first}}`, accept),
    get(`${collection}?limit=${limit}&continue={continue:${first}}&resourceVersion=0`),
    odd(),
    odd(),
    odd(),
    get(`${objectPath(kind, 'a')}?resourceVersion=${draw.pick(['0', 'abc', '{rv:0}'])}`),
    get(collection, accept),
  ];
}

const LABELS = [
  'app=demo',
  'app==demo',
  'app!=demo',
  'app in (demo, other)',
  'app notin (demo)',
  'app',
  '!app',
  'app=demo,tier=front',
  'tier in ()',
  'app>3',
  'rank>1',
  'rank<2',
  'rank>x',
  'app in demo',
  'a/b/c=1',
  'app=-bad-',
  'app=',
  '=x',
  ',',
  'app in (demo',
  'example.com/part=x',
  'app=demo,!tier',
  'app notin (other,more),tier',
  'APP=demo',
  'app = demo , tier = front',
  'in in (in)',
  'rank=2',
];
const FIELDS = [
  'metadata.name=one',
  'metadata.name!=one',
  'metadata.name==two',
  'metadata.namespace={ns}',
  'metadata.namespace=other',
  'metadata.name=one,metadata.namespace={ns}',
  'metadata.name in (one)',
  'metadata.name',
  'metadata.name=',
  '=one',
  'metadata.uid=1',
  'metadata.labels=x',
  'spec.nodeName=n1',
  'status.phase=Pending',
  'status.phase!=Running',
  'spec.restartPolicy=Always',
  'spec.schedulerName=default-scheduler',
  'spec.serviceAccountName=default',
  'spec.hostNetwork=false',
  'status.podIP=',
  'status.podIPs=',
  'status.nominatedNodeName=',
  'type=Opaque',
  'type=kubernetes.io/tls',
  'spec.clusterIP=None',
  'spec.type=ClusterIP',
  'data.key=value',
  'metadata.name=a\\,b',
  'status.successful=0',
  'status.replicas=0',
];

export function selectors(draw: Draw): readonly Step[] {
  const kind = draw.chance(0.5)
    ? draw.pick([configMaps, pods, pods, secrets, services, deployments])
    : draw.pick(kindsInNamespaces);
  const collection = collectionPath(kind);
  const labelled = (name: string, labels: object): Step =>
    setup(post(collection, withMember(draftOf(kind, name), 'metadata.labels', labels)));
  const query = (name: string, value: string): string =>
    `${collection}?${name}=${encodeURIComponent(value).replaceAll('%7Bns%7D', '{ns}')}`;
  return [
    labelled('one', { app: 'demo', tier: 'front', rank: '1' }),
    labelled('two', { app: 'demo', rank: '2' }),
    labelled('three', { app: 'other', 'example.com/part': 'x' }),
    ...draw.some(LABELS, 4).map((value) => get(query('labelSelector', value))),
    ...draw.some(FIELDS, 4).map((value) => get(query('fieldSelector', value))),
    get(`${query('labelSelector', draw.pick(LABELS))}&limit=1`, { accept: TABLE }),
    get(`${query('fieldSelector', draw.pick(FIELDS))}&watch=1&timeoutSeconds=1&resourceVersion=0`),
  ];
}

/** Events that have happened, and those that a watch begins with; the server ends it. */
export function watch(draw: Draw): readonly Step[] {
  const kind = draw.chance(0.6)
    ? draw.pick([configMaps, pods, services, deployments, secrets])
    : draw.pick(kindsInNamespaces);
  const collection = collectionPath(kind);
  const one = objectPath(kind, 'one');
  const label = (value: string): Step =>
    patch('merge', one, { metadata: { labels: { app: value } } });
  const revision = draw.pick(['{rv:0}', '{rv:0}', '{rv:2}', '0', '', 'abc']);
  const extras = draw.pick([
    '',
    '&allowWatchBookmarks=true',
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    '&sendInitialEvents=true',
    '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
    '&resourceVersionMatch=Exact',
    '&labelSelector=app%3Dtwo',
    '&fieldSelector=metadata.name%3Done',
    '&limit=1',
    '&continue=x',
  ]);
  const accept: Record<string, string> = draw.chance(0.3)
    ? {
        accept: draw.pick([
          TABLE,
          PARTIAL,
          'application/yaml',
          'application/vnd.kubernetes.protobuf',
        ]),
      }
    : {};
  return [
    setup(post(collection, draftOf(kind, 'one'))),
    setup(label('one')),
    setup(label('two')),
    setup(post(collection, draftOf(kind, 'two'))),
    setup({ method: 'DELETE', path: draw.chance(0.5) ? one : `${one}?gracePeriodSeconds=0` }),
    get(`${collection}?watch=1&timeoutSeconds=1&resourceVersion=${revision}${extras}`, accept),
    get(`${collection}?watch=true&timeoutSeconds=1&resourceVersion={rv:0}&labelSelector=app%3Done`),
    draw.chance(0.5)
      ? get(`${objectPath(kind, 'two')}?watch=1&timeoutSeconds=1&resourceVersion=${revision}`)
      : get(
          `${collection.replace('/namespaces', '/watch/namespaces')}?timeoutSeconds=1&resourceVersion={rv:2}`,
        ),
  ];
}
