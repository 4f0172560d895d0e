import { encodeObject } from '../../../../lib/meta/protobuf/object-codec.ts';
import type { Draw } from '../../../compare/draw.ts';
import { DEFINITIONS, GADGET, GADGETS } from '../gadgets.ts';
import { changeValue, ODD_VALUES } from './change-value.ts';

/** A request as a client could send it. */
export interface FuzzRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

interface Kind {
  readonly path: string;
  readonly draft: object;
}

const podSpec = { containers: [{ name: 'main', image: 'registry.example/app:1' }] };
const labels = { app: 'demo' };
const workload = {
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: podSpec },
};
const core = (kind: string, path: string, more: object): Kind => ({
  path: `/api/v1/namespaces/default/${path}`,
  draft: { apiVersion: 'v1', kind, ...more },
});

/** A definition with most of what schemas can say; the gadgets are of another one. */
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'a.example',
    scope: 'Namespaced',
    names: { plural: 'a', kind: 'A' },
    conversion: { strategy: 'None' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'X', type: 'string', jsonPath: '.spec.text' }],
        selectableFields: [{ jsonPath: '.spec.text' }],
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['n'],
                properties: {
                  n: { type: 'integer', minimum: 1, maximum: 9, default: 3, multipleOf: 1.5 },
                  text: { type: 'string', pattern: '^(a|b)*$', format: 'email', enum: ['a', 'b'] },
                  map: { type: 'object', additionalProperties: { type: 'number' } },
                  list: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['k'],
                    items: {
                      type: 'object',
                      required: ['k'],
                      properties: { k: { type: 'string' } },
                    },
                  },
                  either: {
                    'x-kubernetes-int-or-string': true,
                    anyOf: [{ type: 'integer' }, { type: 'string' }],
                  },
                  object: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
                oneOf: [{ required: ['n'] }, { not: { required: ['text'] } }],
              },
            },
          },
        },
      },
    ],
  },
};

const KINDS: readonly Kind[] = [
  core('ConfigMap', 'configmaps', { data: { key: 'value' }, binaryData: { b: 'AQI=' } }),
  core('Secret', 'secrets', { stringData: { password: 'hidden' } }),
  core('Pod', 'pods', { spec: podSpec }),
  core('Service', 'services', { spec: { selector: labels, ports: [{ port: 80 }] } }),
  core('Event', 'events', { involvedObject: { namespace: 'default', name: 'x' }, reason: 'R' }),
  {
    path: '/apis/apps/v1/namespaces/default/deployments',
    draft: { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 2, ...workload } },
  },
  {
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    draft: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: { holderIdentity: 'a' } },
  },
  {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    draft: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
  },
  { path: DEFINITIONS, draft: DEFINITION },
  { path: DEFINITIONS, draft: DEFINITION },
  { path: `${GADGETS}/namespaces/default/gadgets`, draft: { ...GADGET, spec: { replicas: 1 } } },
];

const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE'];
const ODD_METHODS = ['HEAD', 'OPTIONS', 'TRACE', 'get', 'BREW'];
const NAMES = ['a', 'b', 'c', 'd'];
const SUBRESOURCES = [
  'status',
  'scale',
  'binding',
  'eviction',
  'ephemeralcontainers',
  'log',
  'exec',
  'token',
  'nothing',
  'resize',
  'finalize',
  'approval',
  'proxy',
];
const ODD_SEGMENTS = [
  '..',
  '.',
  '',
  '%2e%2e',
  '%00',
  '%zz',
  '%',
  '%2F',
  '__proto__',
  'constructor',
  'é',
  '%C3%A9',
  '%ff',
  ' ',
  '*',
  'A',
  '-',
  'x'.repeat(300),
  '{}',
  'watch',
  'namespaces',
  '\u0000',
];
const FIXED_PATHS = [
  '/',
  '/api',
  '/apis',
  '/api/v1',
  '/apis/apps',
  '/apis/apps/v1',
  '/version',
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/api/v1/namespaces',
  '/api/v1/namespaces/default',
  '/api/v1/nodes',
  DEFINITIONS,
  '/api/v1/watch/namespaces/default/configmaps',
  '//',
  '/api//v1',
  '/apis/__proto__/v1/x',
  '/api/v1/namespaces/default/__proto__',
];

const TEXTS = [
  '',
  '0',
  '1',
  '-1',
  'true',
  'false',
  'All',
  'abc',
  '1e3',
  '99999999999999999999',
  '\u0000',
  '__proto__',
  'a=b',
  'a in (b,c)',
  '!a',
  'a==',
  '(',
  'metadata.name=a',
  'metadata.name',
  'status.phase!=Running',
  'spec.x=1',
  'NotOlderThan',
  'Exact',
  'Strict',
  'Warn',
  'Background',
  'Orphan',
  'Foreground',
  'e30',
  'é'.repeat(50),
  '%',
  'x'.repeat(200),
];
const PARAMETERS = [
  'watch',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'labelSelector',
  'fieldSelector',
  'timeoutSeconds',
  'timeout',
  'sendInitialEvents',
  'allowWatchBookmarks',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'pretty',
  'includeObject',
  'propagationPolicy',
  'orphanDependents',
  'gracePeriodSeconds',
  'export',
  'exact',
  '__proto__',
  'nothing',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'container',
  'follow',
  'tailLines',
];
const META = 'g=meta.k8s.io;v=v1';
const ACCEPTS = [
  JSON_TYPE,
  YAML_TYPE,
  PROTOBUF_TYPE,
  '*/*',
  'application/*',
  'nonsense',
  'application/cbor',
  `${JSON_TYPE};as=Table;${META}`,
  `${PROTOBUF_TYPE};as=Table;${META}`,
  `${JSON_TYPE};as=PartialObjectMetadata;${META}`,
  `${PROTOBUF_TYPE};as=PartialObjectMetadataList;${META}`,
  `${YAML_TYPE};as=PartialObjectMetadataList;${META},${JSON_TYPE}`,
  `${PROTOBUF_TYPE},${JSON_TYPE}`,
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
  'a/b;'.repeat(100),
  ',;=/',
  'application/json;q=x;as==;__proto__=1',
];
const CONTENT_TYPES = [
  JSON_TYPE,
  JSON_TYPE,
  YAML_TYPE,
  PROTOBUF_TYPE,
  'text/plain',
  'application/cbor',
  'application/json; charset=utf-8',
  ';',
  '',
];
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  JSON_TYPE,
];

/** Draws requests that are mostly nearly right, since those reach farthest. */
export function drawRequest(draw: Draw): FuzzRequest {
  const kind = draw.pick(KINDS);
  const method = draw.chance(0.01) ? draw.pick(ODD_METHODS) : draw.pick(METHODS);
  const headers: Record<string, string> = {};
  if (draw.chance(0.5)) headers['accept'] = draw.pick(ACCEPTS);
  if (draw.chance(0.05)) headers['user-agent'] = draw.pick(['curl/8', '', 'x'.repeat(500), 'é']);
  if (draw.chance(0.02)) headers['if-none-match'] = draw.pick(['*', '"x"', '']);
  const url = drawPath(draw, kind, method) + drawQuery(draw);
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH' || draw.chance(0.2);
  if (!hasBody) return { method, url, headers, body: new Uint8Array() };
  const patch = method === 'PATCH' && draw.chance(0.95);
  const type = draw.pick(patch ? PATCH_TYPES : CONTENT_TYPES);
  if (type !== '') headers['content-type'] = type;
  return { method, url, headers, body: drawBody(draw, kind, type) };
}

function drawPath(draw: Draw, { path }: Kind, method: string): string {
  if (draw.chance(0.08)) return draw.pick(FIXED_PATHS);
  let url = path;
  const named = method !== 'POST' && draw.chance(method === 'GET' ? 0.5 : 0.9);
  if (named) url += `/${draw.pick(NAMES)}`;
  if (named && draw.chance(0.15)) url += `/${draw.pick(SUBRESOURCES)}`;
  if (!draw.chance(0.08)) return url;
  const segments = url.split('/');
  segments[draw.below(segments.length)] = draw.pick(ODD_SEGMENTS);
  return draw.chance(0.2) ? segments.join('/').slice(1) : segments.join('/');
}

function drawQuery(draw: Draw): string {
  if (draw.chance(0.5)) return '';
  const pairs = Array.from({ length: 1 + draw.below(3) }, () => {
    const value = draw.pick(TEXTS);
    const text = draw.chance(0.9) ? encodeURIComponent(value) : value;
    return `${draw.pick(PARAMETERS)}=${text}`;
  });
  return `?${pairs.join('&')}`;
}

function drawBody(draw: Draw, kind: Kind, type: string): Uint8Array {
  if (draw.chance(0.03)) return drawGarbage(draw);
  if (type === 'application/json-patch+json') return textBody(drawJsonPatch(draw));
  const draft = drawDraft(draw, kind);
  if (type === PROTOBUF_TYPE) return damaged(draw, protobufOf(draft));
  return damaged(draw, textBody(draft));
}

function drawDraft(draw: Draw, { draft }: Kind): object {
  const name = draft === DEFINITION && draw.chance(0.9) ? 'a.a.example' : draw.pick(NAMES);
  const metadata = { name, ...(draw.chance(0.2) ? { labels } : {}) };
  const copy = structuredClone({ ...draft, metadata }) as Record<string, unknown>;
  for (let count = draw.below(4); count > 0; count -= 1) changeValue(draw, copy);
  return copy;
}

function drawJsonPatch(draw: Draw): unknown {
  return Array.from({ length: draw.below(4) }, () => ({
    op: draw.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
    path: draw.pick([
      '/data/key',
      '/metadata/labels',
      '/metadata/name',
      '/spec',
      '',
      '/',
      '/__proto__/x',
      '/a/0',
      '/spec/template/spec/containers/-',
      '/data/~1',
      '/kind',
    ]),
    from: draw.pick(['/data', '/metadata', '', '/spec/x']),
    value: draw.pick(ODD_VALUES),
  }));
}

function textBody(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** The message of a draft; of one that has no message, its JSON. */
function protobufOf(draft: object): Uint8Array {
  try {
    return encodeObject(draft);
  } catch {
    return textBody(draft);
  }
}

function damaged(draw: Draw, bytes: Uint8Array): Uint8Array {
  if (!draw.chance(0.1)) return bytes;
  const copy = Buffer.from(bytes);
  for (let count = 1 + draw.below(3); count > 0; count -= 1) {
    if (copy.length > 0) copy[draw.below(copy.length)] = draw.below(256);
  }
  return draw.chance(0.3) ? copy.subarray(0, draw.below(copy.length + 1)) : copy;
}

function drawGarbage(draw: Draw): Uint8Array {
  switch (draw.below(8)) {
    case 0:
      return Buffer.from(Array.from({ length: draw.below(50) }, () => draw.below(256)));
    case 1:
      return Buffer.from('['.repeat(draw.below(20_000)));
    case 2:
      return Buffer.from('{"a":'.repeat(900 + draw.below(200)) + '1' + '}'.repeat(1_100));
    case 3:
      return draw.chance(0.02) ? Buffer.alloc(3 * 1024 * 1024 + 1, ' ') : Buffer.from('null');
    case 4:
      return Buffer.from('a: &a [x]\nb: *a\n<<: *a\n? [c]\n: d');
    case 5:
      return Buffer.from(
        '{"metadata":{"name":"a","__proto__":{"polluted":true}},"__proto__":{"polluted":1}}',
      );
    case 6:
      return Buffer.from([
        0x6b,
        0x38,
        0x73,
        0,
        ...Array.from({ length: draw.below(60) }, () => draw.below(256)),
      ]);
    default:
      return Buffer.from(
        draw.pick(['', ' ', '\ufeff{}', '[]', '"x"', '1', 'NaN', '{"a":1e999}', '{"a":}', '{}{}']),
      );
  }
}
