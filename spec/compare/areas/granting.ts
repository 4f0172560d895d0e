import { get, patch, post, put, setup, type Draw } from '../draw.ts';
import { collectionPath, configMaps, draftOf, objectPath } from '../objects.ts';
import type { Step } from '../scenario.ts';

const GROUP = 'rbac.authorization.k8s.io';
const VERSION = `${GROUP}/v1`;
const CLUSTER = `/apis/${VERSION}`;
const LOCAL = `${CLUSTER}/namespaces/{ns}`;
const REVIEWS = '/apis/authorization.k8s.io/v1';
const MANAGER = 'manager-{ns}@example.com';
const AS_MANAGER = { 'impersonate-user': MANAGER };
const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const maps = collectionPath(configMaps);

const role = (name: string, rules: unknown, kind = 'Role'): object => ({
  apiVersion: VERSION,
  kind,
  metadata: { name },
  rules,
});

const binding = (name: string, kind: string, to: string, subject: object = USER): object => ({
  apiVersion: VERSION,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind, name: to },
  subjects: [subject],
});

const USER = { apiGroup: GROUP, kind: 'User', name: MANAGER };
const OTHER = { kind: 'ServiceAccount', name: 'robot' };

const review = (resource: string, kind: string, spec: object, headers = {}): Step =>
  post(`${REVIEWS}/${resource}`, { apiVersion: 'authorization.k8s.io/v1', kind, spec }, headers);

/** Rules that a role may have. Only an administrator has all of them. */
const RULES: readonly (readonly object[])[] = [
  [PODS],
  [{ ...PODS, verbs: ['get', 'list'] }],
  [{ ...PODS, resources: ['pods/log', 'configmaps'], verbs: ['*'] }],
  [{ ...PODS, resources: ['configmaps'], verbs: ['get'], resourceNames: ['one'] }],
  [{ ...PODS, resources: ['configmaps'], verbs: ['get'], resourceNames: ['one', 'two'] }],
  [{ ...PODS, resources: ['configmaps'], verbs: ['get', 'list'] }],
  [{ ...PODS, apiGroups: ['', 'apps'], resources: ['pods', 'deployments'] }],
  [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  [{ apiGroups: [''], resources: ['*/log'], verbs: ['get'] }],
  [],
];

function manage(draw: Draw): readonly Step[] {
  const rules = draw.pick(RULES);
  return [
    post(`${LOCAL}/roles`, role('new', rules), AS_MANAGER),
    post(`${LOCAL}/roles`, role('more', draw.pick(RULES)), AS_MANAGER),
    post(`${LOCAL}/roles?dryRun=All`, role('dry', draw.pick(RULES)), AS_MANAGER),
    put(`${LOCAL}/roles/put`, role('put', draw.pick(RULES)), AS_MANAGER),
    put(`${LOCAL}/roles/target`, role('target', draw.pick(RULES)), AS_MANAGER),
    patch('merge', `${LOCAL}/roles/target`, { metadata: { labels: { a: 'b' } } }, AS_MANAGER),
    patch(
      'merge',
      `${LOCAL}/roles/target`,
      { metadata: { finalizers: ['example.com/x'] } },
      AS_MANAGER,
    ),
    patch('merge', `${LOCAL}/roles/target`, { metadata: { finalizers: null } }, AS_MANAGER),
    patch('apply', `${LOCAL}/roles/applied`, role('applied', rules), AS_MANAGER),
    patch('json', `${LOCAL}/roles/target`, [{ op: 'remove', path: '/rules' }], AS_MANAGER),
    post(`${CLUSTER}/clusterroles`, role('x-{ns}', rules, 'ClusterRole'), AS_MANAGER),
    get(`${LOCAL}/roles/target`, AS_MANAGER),
    get(`${LOCAL}/roles?fieldSelector=metadata.name%3Dtarget`, AS_MANAGER),
    get(`${CLUSTER}/roles`, AS_MANAGER),
    { method: 'DELETE', path: `${LOCAL}/roles/target`, headers: AS_MANAGER },
    ...[
      ['Role', 'target'],
      ['Role', 'manager'],
      ['Role', 'none'],
      ['ClusterRole', 'cluster-admin'],
      ['ClusterRole', 'view'],
      ['ClusterRole', 'system:node'],
      ['ClusterRole', 'none'],
      ['Rule', 'x'],
    ].map(([kind = '', to = ''], index) =>
      post(`${LOCAL}/rolebindings`, binding(`b${index}`, kind, to, OTHER), AS_MANAGER),
    ),
    put(`${LOCAL}/rolebindings/put`, binding('put', 'Role', 'target'), AS_MANAGER),
    put(`${LOCAL}/rolebindings/manager`, binding('manager', 'Role', 'manager', OTHER), AS_MANAGER),
    get(`${maps}/one`, AS_MANAGER),
    get(`${maps}/two`, AS_MANAGER),
    get(`${maps}?fieldSelector=metadata.name%3Done`, AS_MANAGER),
    get(`${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Done`, AS_MANAGER),
    put(`${maps}/one`, draftOf(configMaps, 'one'), AS_MANAGER),
    patch('apply', `${maps}/fresh`, draftOf(configMaps, 'fresh'), AS_MANAGER),
    get('/api/v1/namespaces/{ns}/pods/none/log', AS_MANAGER),
  ];
}

const resource = { namespace: '{ns}', verb: 'get', resource: 'configmaps', name: 'one' };
const ASKED: readonly Step[] = [
  review('selfsubjectrulesreviews', 'SelfSubjectRulesReview', { namespace: '{ns}' }, AS_MANAGER),
  review('selfsubjectrulesreviews', 'SelfSubjectRulesReview', { namespace: 'default' }, AS_MANAGER),
  ...[
    resource,
    { ...resource, name: 'two' },
    { ...resource, subresource: 'status', version: 'v1' },
    { ...resource, verb: 'escalate', group: GROUP, resource: 'roles' },
    { ...resource, fieldSelector: { rawSelector: '===' } },
    { ...resource, labelSelector: { rawSelector: 'a in (' } },
    { ...resource, labelSelector: { requirements: [{ key: 'a', operator: 'Near' }] } },
    {
      ...resource,
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'In', values: [] },
        ],
      },
    },
    {
      ...resource,
      fieldSelector: { requirements: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] },
    },
    { ...resource, surplus: 'x' },
  ].flatMap((resourceAttributes) => [
    review(
      'selfsubjectaccessreviews',
      'SelfSubjectAccessReview',
      { resourceAttributes },
      AS_MANAGER,
    ),
    review('subjectaccessreviews', 'SubjectAccessReview', { user: MANAGER, resourceAttributes }),
  ]),
  review('namespaces/{ns}/localsubjectaccessreviews', 'LocalSubjectAccessReview', {
    user: MANAGER,
    resourceAttributes: resource,
  }),
  review(
    'namespaces/{ns}/localsubjectaccessreviews',
    'LocalSubjectAccessReview',
    { user: MANAGER, resourceAttributes: resource },
    AS_MANAGER,
  ),
  review('subjectaccessreviews', 'SubjectAccessReview', {
    groups: ['system:serviceaccounts'],
    nonResourceAttributes: { path: '/openid/v1/jwks', verb: 'get' },
  }),
  review('subjectaccessreviews', 'SubjectAccessReview', {
    user: 'system:kube-scheduler',
    resourceAttributes: { verb: 'create', resource: 'pods', subresource: 'binding' },
  }),
  review('subjectaccessreviews', 'SubjectAccessReview', {
    user: 'system:serviceaccount:kube-system:job-controller',
    resourceAttributes: { verb: 'update', group: 'batch', resource: 'jobs', subresource: 'status' },
  }),
  ...['system:serviceaccount:{ns}:robot', 'system:anonymous', 'system:serviceaccount:a'].map(
    (user) =>
      post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        { 'impersonate-user': user },
      ),
  ),
  post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    {
      'impersonate-user': 'x',
      'impersonate-uid': 'u',
      'impersonate-group': 'a, b',
      'impersonate-extra-acme.io%2fscope': 'view',
    },
  ),
  get(maps, { 'impersonate-extra-scope': 'view' }),
];

/** A user who manages roles, and what it may give to others. */
export function granting(draw: Draw): readonly Step[] {
  const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  const special = draw.pick<readonly string[]>([[], [], ['escalate'], ['bind'], ['impersonate']]);
  const rules = [
    { apiGroups: [GROUP], resources: ['roles', 'rolebindings'], verbs: [...verbs, ...special] },
    {
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: ['get', 'list', 'update', 'patch'],
      resourceNames: ['one'],
    },
    ...draw.pick<readonly object[]>([[], [PODS], [{ ...PODS, resources: ['*/log'] }]]),
  ];
  const ready: Step = { ...get(`${LOCAL}/roles`, AS_MANAGER), until: 200 };
  return [
    setup(post(maps, draftOf(configMaps, 'one'))),
    setup(post(`${LOCAL}/roles`, role('target', [PODS]))),
    post(`${LOCAL}/roles`, role('manager', rules)),
    post(`${LOCAL}/rolebindings`, binding('manager', 'Role', 'manager')),
    setup(ready),
    ...draw.some(manage(draw), 5),
    ...draw.some(ASKED, 3),
    get(objectPath(configMaps, 'one'), { 'impersonate-user': 'system:serviceaccount:{ns}:robot' }),
  ];
}
