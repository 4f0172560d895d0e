import { edgesOfKinds } from './edge-kinds.ts';
import type { Area, Scenario, Step } from './scenario.ts';

/** Requests at the edges of the API, written by hand: random ones hardly ever meet them. `edges.spec.ts` sends them. */
export function edgeScenarios(): readonly Scenario[] {
  const counts = new Map<Area, number>();
  return [
    ...paths(),
    ...lists(),
    ...reads(),
    ...events(),
    ...versions(),
    ...yaml(),
    ...edgesOfKinds(),
  ].map(({ area, steps }) => {
    const count = counts.get(area) ?? 0;
    counts.set(area, count + 1);
    return { id: `${area}/edge/${count}`, area, namespace: true, steps };
  });
}

type Edge = Pick<Scenario, 'area' | 'steps'>;

const MAPS = '/api/v1/namespaces/{ns}/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

const map = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const create = (path: string, body: unknown): Step => ({ method: 'POST', path, body, setup: true });
const get = (path: string, headers: Step['headers'] = {}): Step => ({
  method: 'GET',
  path,
  headers,
});
const merge = (path: string, body: unknown): Step => ({
  method: 'PATCH',
  path,
  headers: MERGE,
  body,
});

const ODD_SEGMENTS = ['..%2Fx', 'a%2F', 'a%2Fb', '%2F', '..', '.', '%2e%2e', 'a%25', '%zz', 'a//'];

/** Paths with escapes, and with a slash at their end. */
function paths(): Edge[] {
  const odd = ODD_SEGMENTS.map((segment): Edge => {
    const path = `${MAPS}/${segment}`;
    const steps = ['GET', 'DELETE'].map((method) => ({ method, path }));
    return { area: 'kinds', steps: [create(MAPS, map('a')), ...steps] };
  });
  const scale = '/apis/apps/v1/namespaces/{ns}/deployments/web/scale';
  const oldScale = {
    apiVersion: 'extensions/v1beta1',
    kind: 'Scale',
    metadata: { name: 'web', namespace: '{ns}' },
    spec: { replicas: 3 },
  };
  const ended: Edge = {
    area: 'subresources',
    steps: [
      create('/apis/apps/v1/namespaces/{ns}/deployments', deployment()),
      ...['', '/'].flatMap((slash) => [
        get(`${scale}${slash}`),
        merge(`${scale}${slash}`, { spec: { replicas: 2 } }),
        { method: 'PUT', path: `${scale}${slash}`, body: oldScale },
        {
          method: 'PUT',
          path: `${scale}${slash}`,
          body: { ...oldScale, status: { selector: 'a' } },
        },
        merge(`${MAPS}/a${slash}`, { data: { a: 'b' } }),
        { method: 'POST', path: `${MAPS}${slash}`, body: map('b') },
        { method: 'DELETE', path: `${MAPS}/b${slash}` },
      ]),
    ],
  };
  return [...odd, ended];
}

function deployment(): object {
  const labels = { app: 'web' };
  const spec = { containers: [{ name: 'web', image: 'web:1' }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

/** Of a version that the server has not reached. */
const FUTURE = Buffer.from(
  JSON.stringify({ v: 'meta.k8s.io/v1', rv: 9_000_000_000_000_000, start: 'a\0' }),
).toString('base64url');

/** A token of the future, and selectors of what is not stored. */
function lists(): Edge[] {
  const token: Edge = { area: 'list', steps: [get(`${MAPS}?limit=1&continue=${FUTURE}`)] };
  const statuses: Edge = {
    area: 'selectors',
    steps: [
      'labelSelector=a=b',
      'labelSelector=a',
      'labelSelector=%21%21',
      'fieldSelector=metadata.name=etcd-0',
      'fieldSelector=metadata.namespace=x',
      'fieldSelector=metadata.name=nope',
      'fieldSelector=a=b',
      'watch=1',
    ].map((query) => get(`/api/v1/componentstatuses?${query}`)),
  };
  return [token, statuses];
}

/** A list of the one object that a role names. */
function reads(): Edge[] {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}';
  const group = 'rbac.authorization.k8s.io';
  const verbs = ['get', 'list', 'watch', 'deletecollection'];
  const user = { 'impersonate-user': 'edge-of-{ns}' };
  const selectors = [
    '',
    '?fieldSelector=metadata.name=a',
    '?fieldSelector=metadata.name=b',
    '?fieldSelector=metadata.name!=a',
    '?fieldSelector=metadata.name=a,metadata.namespace={ns}',
    '?fieldSelector=metadata.name=a&watch=1&timeoutSeconds=1',
    '?fieldSelector=metadata.name=a&labelSelector=x',
  ];
  return [
    {
      area: 'access',
      steps: [
        create(MAPS, map('a')),
        create(MAPS, map('b')),
        create(`${rbac}/roles`, {
          metadata: { name: 'one' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs }],
        }),
        create(`${rbac}/rolebindings`, {
          metadata: { name: 'one' },
          roleRef: { apiGroup: group, kind: 'Role', name: 'one' },
          subjects: [{ apiGroup: group, kind: 'User', name: user['impersonate-user'] }],
        }),
        { ...get(`${MAPS}/a`, user), until: 200 },
        ...selectors.map((query) => get(`${MAPS}${query}`, user)),
      ],
    },
  ];
}

/** Refused events name the group of their kind. */
function events(): Edge[] {
  const path = '/apis/events.k8s.io/v1/namespaces/{ns}/events';
  const eventTime = '2026-01-01T00:00:00.000000Z';
  const reporter = { reportingController: 'a/b', reportingInstance: 'i', action: 'A', reason: 'R' };
  const regarding = { namespace: '{ns}', name: 'a' };
  const good = { metadata: { name: 'e' }, eventTime, ...reporter, type: 'Normal', regarding };
  return [
    {
      area: 'validation',
      steps: [
        { ...good, metadata: {} },
        { metadata: { name: 'e' } },
        { ...good, type: 'Odd' },
        { ...good, regarding: { namespace: 'other' } },
        { ...good, metadata: { name: 'E_' } },
        good,
        good,
      ].map((body) => ({ method: 'POST', path, body })),
    },
    {
      area: 'validation',
      steps: [
        { method: 'POST', path, body: good, setup: true },
        merge(`${path}/e`, { type: 'Odd' }),
        merge(`${path}/none`, { type: 'Odd' }),
        get(`${path}/none`),
      ],
    },
  ];
}

/** The managers of an autoscaler in both of its versions, whose fields have other names. */
function versions(): Edge[] {
  const path = (version: string): string =>
    `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers/web`;
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const cpu = (averageUtilization: number): object[] => [
    {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
    },
  ];
  const apply = (version: string, manager: string, spec: object, force = false): Step => ({
    method: 'PATCH',
    path: `${path(version)}?fieldManager=${manager}${force ? '&force=true' : ''}`,
    headers: APPLY,
    body: {
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec,
    },
  });
  const both = ['v1', 'v2'].map((version) => get(path(version)));
  const first = { scaleTargetRef: target, maxReplicas: 5, targetCPUUtilizationPercentage: 50 };
  const { maxReplicas: _, ...withoutMost } = first;
  return [
    {
      area: 'apply',
      steps: [
        apply('v1', 'one', first),
        apply('v2', 'two', { maxReplicas: 6 }),
        apply('v2', 'two', { maxReplicas: 6 }, true),
        apply('v1', 'one', first),
        apply('v1', 'one', withoutMost),
        apply('v2', 'two', { maxReplicas: 6, metrics: cpu(60) }),
        apply('v2', 'two', { maxReplicas: 6, metrics: cpu(60) }, true),
        apply('v1', 'one', withoutMost),
        apply('v1', 'one', { scaleTargetRef: target }),
        ...both,
      ],
    },
    {
      area: 'apply',
      steps: [
        apply('v2', 'one', { scaleTargetRef: target, maxReplicas: 5, metrics: cpu(50) }),
        { ...merge(`${path('v1')}?fieldManager=two`, { spec: { minReplicas: 3 } }) },
        {
          ...merge(`${path('v1')}?fieldManager=two`, {
            spec: { targetCPUUtilizationPercentage: 80 },
          }),
        },
        { ...merge(`${path('v2')}?fieldManager=three`, { spec: { metrics: cpu(70) } }) },
        apply('v2', 'one', { scaleTargetRef: target, maxReplicas: 5 }),
        apply('v2', 'four', { behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } }),
        apply('v1', 'five', { maxReplicas: 9 }),
        apply('v1', 'five', { maxReplicas: 9 }, true),
        apply('v2', 'five', { maxReplicas: 9 }),
        apply('v1', 'five', {}),
        ...both,
      ],
    },
  ];
}

/** Merge keys. */
function yaml(): Edge[] {
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, labels: &l {a: b}}\n';
  const headers = { 'content-type': 'application/yaml' };
  const datas = [
    '{<<: *l, c: d}',
    '{<<: *l, a: "2"}',
    '{a: "2", <<: *l}',
    '{<<: [*l, {a: c, d: e}]}',
    '{<<: {<<: *l, b: "2"}}',
    '{"<<": "x"}',
    '{!!merge <<: *l}',
  ];
  return [
    {
      area: 'negotiation',
      steps: datas.map((data) => ({
        method: 'POST',
        path: `${MAPS}?dryRun=All`,
        headers,
        body: `${head}data: ${data}\n`,
      })),
    },
  ];
}
