import type { RuleCases } from '../rule-cases.ts';

const API = '/apis/rbac.authorization.k8s.io/v1';
const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];

const ofRules = [
  { rules: undefined },
  { rules: [] },
  { 'rules[0].verbs': undefined },
  { 'rules[0].verbs': [] },
  { 'rules[0].apiGroups': undefined },
  { 'rules[0].resources': undefined },
  { 'rules[0].apiGroups': [], 'rules[0].resources': [] },
  { 'rules[0].resourceNames': ['a', ''] },
  { 'rules[0].nonResourceURLs': ['/healthz'] },
  { 'rules[0]': { nonResourceURLs: ['/healthz'], verbs: ['get'] } },
  { 'rules[0]': { nonResourceURLs: ['/healthz', '*'] } },
  { 'rules[0]': { nonResourceURLs: ['/a'], resourceNames: ['b'], verbs: ['get'] } },
  { 'rules[-]': {} },
  { 'rules[0].verbs': ['*', 'get', ''] },
];

const ofBindings = [
  { subjects: undefined },
  { 'roleRef.apiGroup': 'other' },
  { 'roleRef.apiGroup': undefined },
  { 'roleRef.kind': 'Role' },
  { 'roleRef.kind': 'Other' },
  { 'roleRef.kind': undefined },
  { 'roleRef.name': undefined },
  { 'roleRef.name': 'a/b' },
  { 'roleRef.name': 'a%b' },
  { 'roleRef.name': '..' },
  { 'roleRef.name': 'Upper:case' },
  { roleRef: undefined },
  { 'subjects[0].name': undefined },
  { 'subjects[0].kind': undefined },
  { 'subjects[0].kind': 'Robot' },
  { 'subjects[0].kind': 'Group' },
  { 'subjects[0].apiGroup': 'other' },
  { 'subjects[0].apiGroup': undefined },
  { 'subjects[0].namespace': 'default' },
  { 'subjects[0]': { kind: 'Group', name: 'g', apiGroup: 'other' } },
  { 'subjects[0]': { kind: 'ServiceAccount', name: 'a', namespace: 'b' } },
  { 'subjects[0]': { kind: 'ServiceAccount', name: 'a' } },
  { 'subjects[0]': { kind: 'ServiceAccount', namespace: 'b' } },
  { 'subjects[0]': { kind: 'ServiceAccount', name: 'A_b', namespace: 'b' } },
  { 'subjects[0]': { kind: 'ServiceAccount', name: 'a', namespace: 'b', apiGroup } },
  { 'subjects[0]': {} },
  { 'subjects[-]': { kind: 'User' } },
];

const ofBindingUpdates = [
  { 'roleRef.name': 'other' },
  { 'roleRef.kind': 'Role' },
  { 'roleRef.name': '' },
  { subjects: undefined },
  { 'subjects[0].name': '' },
  { 'subjects[0].kind': 'Group' },
];

const subjects = [{ kind: 'User', name: 'jane', apiGroup }];

export const cases: readonly RuleCases[] = [
  {
    title: 'rbac.authorization.k8s.io/v1 Role',
    collection: `${API}/namespaces/{ns}/roles`,
    base: { apiVersion, kind: 'Role', metadata: { name: 'base' }, rules },
    creates: [...ofRules, { 'metadata.name': 'A:b' }, { 'metadata.name': 'a/b' }],
    updates: [{ 'rules[0].verbs': [] }, { 'rules[0].verbs': ['list'] }, { rules: undefined }],
  },
  {
    title: 'rbac.authorization.k8s.io/v1 ClusterRole',
    collection: `${API}/clusterroles`,
    base: { apiVersion, kind: 'ClusterRole', metadata: { name: '{ns}-base' }, rules },
    creates: [
      ...ofRules,
      { aggregationRule: {} },
      { aggregationRule: { clusterRoleSelectors: [] } },
      { aggregationRule: { clusterRoleSelectors: [{}] } },
      {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
        rules: undefined,
      },
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'b' } }] } },
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b c' } }] } },
      {
        aggregationRule: {
          clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }],
        },
      },
      {
        aggregationRule: {
          clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }],
        },
      },
      {
        aggregationRule: {
          clusterRoleSelectors: [
            { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
          ],
        },
      },
    ],
    updates: [
      { 'rules[0].verbs': [] },
      { 'rules[0].verbs': ['list'] },
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } },
      { aggregationRule: {} },
    ],
  },
  {
    title: 'rbac.authorization.k8s.io/v1 RoleBinding',
    collection: `${API}/namespaces/{ns}/rolebindings`,
    base: {
      apiVersion,
      kind: 'RoleBinding',
      metadata: { name: 'base' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
      subjects,
    },
    creates: ofBindings,
    updates: ofBindingUpdates,
  },
  {
    title: 'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
    collection: `${API}/clusterrolebindings`,
    base: {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: '{ns}-base' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' },
      subjects,
    },
    creates: ofBindings,
    updates: ofBindingUpdates,
  },
];
