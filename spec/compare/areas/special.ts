import { del, get, patch, post, put, setup, type Draw } from '../draw.ts';
import {
  collectionPath,
  configMaps,
  deployments,
  draftOf,
  jobs,
  objectPath,
  pods,
  serviceAccounts,
  services,
  statefulSets,
  withMember,
  type Kind,
} from '../objects.ts';
import type { Step } from '../scenario.ts';
import { TABLE } from './reading.ts';

const pod = objectPath(pods, 'one');

/** A pod, and what kubelets, schedulers and kubectl do with it. */
const POD_STEPS: readonly Step[] = [
  post(`${pod}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'one' },
    target: { kind: 'Node', name: 'n1' },
  }),
  post(`${pod}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'one' },
    target: { kind: 'Node', name: '' },
  }),
  post('/api/v1/namespaces/{ns}/bindings', {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'one' },
    target: { kind: 'Node', name: 'n1' },
  }),
  post(`${pod}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'one', namespace: '{ns}' },
  }),
  post(`${pod}/eviction?dryRun=All`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'one', namespace: '{ns}' },
  }),
  post(`${pod}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'other' },
  }),
  get(`${pod}/log`),
  get(`${pod}/log?container=none`),
  get(`${pod}/log?tailLines=-1`),
  get(`${pod}/status`),
  get(`${pod}/ephemeralcontainers`),
  patch('strategic', `${pod}/ephemeralcontainers`, {
    spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] },
  }),
  patch('strategic', `${pod}/ephemeralcontainers`, {
    spec: { ephemeralContainers: [{ name: 'main', image: 'busybox' }] },
  }),
  patch('strategic', `${pod}/resize`, {
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
  }),
  patch('strategic', `${pod}/resize`, { spec: { containers: [{ name: 'main', image: 'other' }] } }),
  patch('merge', `${pod}/status`, { status: { phase: 'Running', podIP: '192.0.2.1' } }),
  patch('merge', `${pod}/status`, {
    metadata: { labels: { a: 'b' } },
    spec: { nodeName: 'x' },
    status: { phase: 'Failed' },
  }),
  patch('strategic', `${pod}/status`, {
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }),
  patch('merge', `${pod}/status`, { status: { phase: 'Dancing' } }),
  patch('merge', `${pod}/status`, {
    status: {
      containerStatuses: [{ name: 'main', ready: true, restartCount: 1, image: 'x', imageID: '' }],
    },
  }),
  { method: 'GET', path: `${pod}/exec?command=ls` },
  { method: 'POST', path: `${pod}/portforward` },
  get(`${pod}/nope`),
  get(`${pod}/scale`),
  del(`${pod}/status`),
  post(`${pod}/status`, draftOf(pods, 'one')),
  get(objectPath(pods, 'missing') + '/status'),
  get(`${pod}/proxy`),
];

function scaleSteps(kind: Kind): readonly Step[] {
  const one = objectPath(kind, 'one');
  const scale = (replicas: unknown, extra: object = {}): unknown => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'one', namespace: '{ns}', ...extra },
    spec: { replicas },
  });
  return [
    get(`${one}/scale`),
    get(`${one}/scale`, { accept: TABLE }),
    put(`${one}/scale`, scale(3)),
    put(`${one}/scale`, scale(3, { resourceVersion: '1' })),
    put(`${one}/scale`, scale(-1)),
    put(`${one}/scale`, scale('x')),
    put(`${one}/scale`, scale(2, { name: 'other' })),
    put(`${one}/scale`, draftOf(kind, 'one')),
    patch('merge', `${one}/scale`, { spec: { replicas: 5 } }),
    patch('json', `${one}/scale`, [{ op: 'replace', path: '/spec/replicas', value: 2 }]),
    patch('strategic', `${one}/scale`, { spec: { replicas: 1 } }),
    patch('merge', `${one}/scale?dryRun=All`, { spec: { replicas: 7 } }),
    get(`${one}/status`),
    put(`${one}/status`, {
      ...draftOf(kind, 'one'),
      status: { replicas: 2, observedGeneration: 1 },
    }),
    put(`${one}/status`, { ...draftOf(kind, 'one'), status: { replicas: -1 } }),
    put(`${one}/status`, withMember(draftOf(kind, 'one'), 'metadata.labels', { a: 'b' })),
    patch('merge', `${one}/status`, {
      status: {
        conditions: [
          { type: 'Available', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z' },
        ],
      },
    }),
    patch('merge', `${one}/status`, { status: { readyReplicas: 9 } }),
    post(`${one}/scale`, scale(1)),
    get(`${objectPath(kind, 'missing')}/scale`),
    del(`${one}/scale`),
  ];
}

function statusSteps(kind: Kind, status: object): readonly Step[] {
  const one = objectPath(kind, 'one');
  return [
    get(`${one}/status`),
    patch('merge', `${one}/status`, { status }),
    patch('merge', `${one}/status`, { status: { surplus: 1 } }),
    patch('merge', `${one}/status?fieldValidation=Strict`, { status: { surplus: 1 } }),
    put(`${one}/status`, { ...draftOf(kind, 'one'), status }),
    patch('merge', one, { status }),
    put(`${one}/status`, { ...draftOf(kind, 'one'), spec: {}, status }),
  ];
}

const account = objectPath(serviceAccounts, 'one');
const TOKEN_STEPS: readonly Step[] = [
  ...[
    {},
    { audiences: ['a'], expirationSeconds: 3600 },
    { expirationSeconds: 1 },
    { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
  ].map((spec) =>
    post(`${account}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec,
    }),
  ),
  get(`${account}/token`),
  post(objectPath(serviceAccounts, 'missing') + '/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  }),
];

export function subresources(draw: Draw): readonly Step[] {
  const [kind, steps] = draw.pick<readonly [Kind, readonly Step[]]>([
    [pods, POD_STEPS],
    [pods, POD_STEPS],
    [deployments, scaleSteps(deployments)],
    [statefulSets, scaleSteps(statefulSets)],
    [services, statusSteps(services, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } })],
    [jobs, statusSteps(jobs, { active: 1, ready: 0 })],
    [serviceAccounts, TOKEN_STEPS],
  ]);
  const created = post(collectionPath(kind), draftOf(kind, 'one'));
  return [setup(created), ...draw.some(steps, 5), get(objectPath(kind, 'one'))];
}

const SPACE = '/api/v1/namespaces/{ns}-b';
const space = (rest: object = {}, spec?: object): unknown => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: '{ns}-b', ...rest },
  ...(spec === undefined ? {} : { spec }),
});
const SPACE_STEPS: readonly Step[] = [
  get(SPACE),
  get(SPACE, { accept: TABLE }),
  post('/api/v1/namespaces', space()),
  post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'Bad_{ns}' },
  }),
  post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.{ns}' } }),
  post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: '{ns}', namespace: 'x' },
  }),
  patch('merge', SPACE, { metadata: { labels: { team: 'x' } } }),
  patch('merge', SPACE, { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } }),
  patch('merge', SPACE, { metadata: { labels: null } }),
  patch('merge', SPACE, { spec: { finalizers: null } }),
  patch('merge', SPACE, { spec: { finalizers: ['example.com/x'] } }),
  put(SPACE, space({ labels: { a: 'b' } })),
  put(SPACE, space({}, { finalizers: [] })),
  put(`${SPACE}/status`, { ...(space() as object), status: { phase: 'Terminating' } }),
  patch('merge', `${SPACE}/status`, { status: { conditions: [{ type: 'X', status: 'True' }] } }),
  put(`${SPACE}/finalize`, space({}, { finalizers: ['kubernetes', 'example.com/x'] })),
  get(`${SPACE}/finalize`),
  get('/api/v1/namespaces/{ns}-none'),
  del('/api/v1/namespaces/{ns}-none'),
  del('/api/v1/namespaces'),
  get('/api/v1/namespaces?labelSelector=kubernetes.io/metadata.name%3D{ns}'),
  get('/api/v1/namespaces?fieldSelector=metadata.name%3D{ns}'),
  get('/api/v1/namespaces?fieldSelector=status.phase%3DActive%2Cmetadata.name%3D{ns}'),
  get('/api/v1/namespaces/default'),
  get('/api/v1/namespaces/kube-system'),
  get('/api/v1/namespaces/kube-node-lease'),
  get('/api/v1/namespaces/kube-public'),
  get('/api/v1/namespaces/default/services/kubernetes', { accept: TABLE }),
  del('/api/v1/namespaces/default?dryRun=All'),
  del('/api/v1/namespaces/kube-system?dryRun=All'),
  post('/api/v1/namespaces/{ns}-none/configmaps', draftOf(configMaps, 'x')),
  get('/api/v1/namespaces/{ns}-none/configmaps'),
  post('/api/v1/configmaps', draftOf(configMaps, 'x')),
  get('/api/v1/configmaps/x'),
];

/** A second namespace that is changed, then deleted, and what its deletion refuses. */
export function namespaces(draw: Draw): readonly Step[] {
  const maps = `${SPACE}/configmaps`;
  const held = withMember(draftOf(configMaps, 'held'), 'metadata.finalizers', ['example.com/hold']);
  const late = draw.some<Step>(
    [
      del(SPACE),
      post(maps, draftOf(configMaps, 'late')),
      patch('merge', `${maps}/held`, { data: { a: 'b' } }),
      patch('merge', SPACE, { metadata: { labels: { late: 'x' } } }),
      post('/api/v1/namespaces', space()),
    ],
    2,
  );
  const created = post(
    '/api/v1/namespaces',
    space(draw.pick([{}, { labels: { team: 'x' } }, { annotations: { a: 'b' } }])),
  );
  return [
    created,
    ...draw.some(SPACE_STEPS, 4),
    setup(post(maps, held)),
    del(draw.pick([SPACE, SPACE, `${SPACE}?dryRun=All`, `${SPACE}?propagationPolicy=Orphan`])),
    ...late,
    setup(patch('merge', `${maps}/held`, { metadata: { finalizers: null } })),
    setup(del(`${maps}/held`)),
    setup(put(`${SPACE}/finalize`, space({}, { finalizers: [] }))),
  ];
}

const STRANGER = 'someone@example.com';
const as = (user: string, groups?: string): Record<string, string> => ({
  'impersonate-user': user,
  ...(groups === undefined ? {} : { 'impersonate-group': groups }),
});
const maps = collectionPath(configMaps);
const review = (resource: string, kind: string, spec: object, headers = {}): Step =>
  post(
    `/apis/authorization.k8s.io/v1/${resource}`,
    { apiVersion: 'authorization.k8s.io/v1', kind, spec },
    headers,
  );
const attributes = { namespace: '{ns}', verb: 'get', resource: 'pods' };
const ACCESS_STEPS: readonly Step[] = [
  ...[maps, '/api', '/version', '/healthz', '/api/v1/namespaces/{ns}', '/openapi/v3', '/nope'].map(
    (path): Step => ({ method: 'GET', path, anonymous: true }),
  ),
  ...[maps, '/version'].map(
    (path): Step => ({
      method: 'GET',
      path,
      anonymous: true,
      headers: { authorization: 'Bearer not-a-token-of-anyone' },
    }),
  ),
  { method: 'GET', path: maps, anonymous: true, headers: { authorization: 'Basic YTpi' } },
  get(maps, as(STRANGER)),
  get(`${maps}/one`, as(STRANGER)),
  get(maps, as(STRANGER, 'system:masters')),
  get('/api', as(STRANGER)),
  get('/api', as(STRANGER, 'system:authenticated')),
  get('/api/v1/nodes', as(STRANGER)),
  get('/apis/apps/v1/namespaces/{ns}/deployments', as('system:serviceaccount:{ns}:robot')),
  { ...post(maps, draftOf(configMaps, 'denied'), as(STRANGER)) },
  { ...del(maps), headers: as(STRANGER) },
  get(`${maps}?watch=1&timeoutSeconds=1`, as(STRANGER)),
  get(maps, { 'impersonate-group': 'system:masters' }),
  get(maps, { 'impersonate-uid': 'x' }),
  post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    as(STRANGER),
  ),
  post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    as(STRANGER, 'system:authenticated'),
  ),
  post('/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: 'nonsense' },
  }),
  post('/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: {},
  }),
  review(
    'selfsubjectaccessreviews',
    'SelfSubjectAccessReview',
    { resourceAttributes: attributes },
    as('admin', 'system:masters'),
  ),
  review(
    'selfsubjectaccessreviews',
    'SelfSubjectAccessReview',
    { nonResourceAttributes: { path: '/metrics', verb: 'get' } },
    as('admin', 'system:masters'),
  ),
  review('selfsubjectaccessreviews', 'SelfSubjectAccessReview', {}),
  review('subjectaccessreviews', 'SubjectAccessReview', {
    user: STRANGER,
    resourceAttributes: attributes,
  }),
  review('subjectaccessreviews', 'SubjectAccessReview', {
    user: 'robot',
    groups: ['system:masters'],
    resourceAttributes: attributes,
  }),
  review('subjectaccessreviews', 'SubjectAccessReview', { resourceAttributes: attributes }),
  review(
    'selfsubjectrulesreviews',
    'SelfSubjectRulesReview',
    { namespace: '{ns}' },
    as('admin', 'system:masters'),
  ),
  review('selfsubjectrulesreviews', 'SelfSubjectRulesReview', {}),
  get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'),
  get('/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin'),
  get('/apis/rbac.authorization.k8s.io/v1/clusterroles/view', { accept: TABLE }),
];

/** Access: no credentials, impersonation, reviews, roles. */
export function access(draw: Draw): readonly Step[] {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}';
  const version = 'rbac.authorization.k8s.io/v1';
  const verbs = draw.pick([['get'], ['list', 'watch'], ['*'], ['get', 'create']]);
  const rules = [
    {
      apiGroups: [''],
      resources: ['configmaps'],
      verbs,
      ...(draw.chance(0.3) ? { resourceNames: ['one'] } : {}),
    },
  ];
  const role = post(`${rbac}/roles`, {
    apiVersion: version,
    kind: 'Role',
    metadata: { name: 'reader' },
    rules,
  });
  const binding = post(`${rbac}/rolebindings`, {
    apiVersion: version,
    kind: 'RoleBinding',
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'User', name: STRANGER, apiGroup: 'rbac.authorization.k8s.io' }],
  });
  const granted: Step = {
    ...get(`${maps}/one`, as(STRANGER)),
    until: verbs.includes('list') ? 403 : 200,
  };
  return [
    setup(post(maps, draftOf(configMaps, 'one'))),
    ...(draw.chance(0.4)
      ? [
          role,
          binding,
          setup(granted),
          get(maps, as(STRANGER)),
          post(maps, draftOf(configMaps, 'two'), as(STRANGER)),
          put(`${rbac}/rolebindings/reader`, {
            apiVersion: version,
            kind: 'RoleBinding',
            metadata: { name: 'reader' },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'other' },
          }),
        ]
      : []),
    ...draw.some(ACCESS_STEPS, 6),
  ];
}
