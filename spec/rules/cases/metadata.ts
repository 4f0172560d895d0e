import type { RuleCases } from '../rule-cases.ts';

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', uid: '1' };
const managed = {
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': {} },
};

/** Changes of metadata that the rules for all kinds concern. */
const changes = [
  { 'metadata.labels["a/b/c"]': 'x' },
  { 'metadata.labels["/a"]': 'x' },
  { 'metadata.labels["a/"]': 'x' },
  { 'metadata.labels["A_b/c"]': 'x' },
  { 'metadata.labels["with space"]': 'x' },
  { [`metadata.labels["${'a'.repeat(63)}"]`]: 'x' },
  { [`metadata.labels["${'a'.repeat(64)}"]`]: 'x' },
  { [`metadata.labels["${'a'.repeat(254)}/b"]`]: 'x' },
  { 'metadata.labels.a': '-' },
  { 'metadata.labels.a': 'x'.repeat(63) },
  { 'metadata.labels.a': `${'x'.repeat(64)}-` },
  { 'metadata.labels.a': 'é\u0007<' },
  { 'metadata.annotations["a/b/c"]': 'x' },
  { 'metadata.annotations["Upper.Case/Is-Fine"]': 'x' },
  { 'metadata.annotations["A_b/c"]': 'x' },
  { 'metadata.annotations.big': 'x'.repeat(256 * 1024 - 3) },
  { 'metadata.annotations.big': 'x'.repeat(256 * 1024 - 2) },
  { 'metadata.finalizers': ['example.com/a'] },
  { 'metadata.finalizers': ['plain'] },
  { 'metadata.finalizers': ['kubernetes'] },
  { 'metadata.finalizers': [''] },
  { 'metadata.finalizers': ['a b/c'] },
  { 'metadata.finalizers': ['a/b/c'] },
  { 'metadata.finalizers': ['example.com/a', 'example.com/a'] },
  { 'metadata.finalizers': ['orphan', 'foregroundDeletion'] },
  { 'metadata.ownerReferences': [owner] },
  { 'metadata.ownerReferences': [owner, owner] },
  { 'metadata.ownerReferences': [owner, { ...owner, name: 'two' }] },
  { 'metadata.ownerReferences': [{}] },
  { 'metadata.ownerReferences': [{ ...owner, apiVersion: 'a/b/c' }] },
  { 'metadata.ownerReferences': [{ ...owner, apiVersion: 'apps/' }] },
  { 'metadata.ownerReferences': [{ ...owner, kind: 'Event' }] },
  {
    'metadata.ownerReferences': [
      { ...owner, controller: true },
      { ...owner, controller: true, blockOwnerDeletion: false, uid: '2' },
    ],
  },
  { 'metadata.managedFields': [{ ...managed, operation: 'Other' }] },
  { 'metadata.managedFields': [{ ...managed, fieldsType: 'FieldsV2' }] },
  { 'metadata.managedFields': [{ ...managed, manager: 'm'.repeat(129) }] },
  { 'metadata.managedFields': [{ ...managed, manager: 'a\u0007b' }] },
  { 'metadata.managedFields': [{ ...managed, subresource: 's'.repeat(257) }] },
  { 'metadata.deletionTimestamp': '2026-01-01T00:00:00Z' },
  { 'metadata.deletionGracePeriodSeconds': 5 },
  { 'metadata.generation': 5 },
  { 'metadata.generation': -5 },
  { 'metadata.selfLink': '/x' },
];

const creates = [
  ...changes,
  { 'metadata.name': '' },
  { 'metadata.name': `A${'x'.repeat(253)}` },
  { 'metadata.name': 'a/b%' },
  { 'metadata.name': 'a..b' },
  { 'metadata.name': 'é\u0007<' },
  { 'metadata.namespace': 'other' },
];

const names = [{ 'metadata.name': 'Upper' }, { 'metadata.name': 'a%' }, { 'metadata.name': '..' }];
const looks = [
  { 'metadata.labels["a/b/c"]': 'x' },
  { 'metadata.finalizers': ['plain'] },
  { 'metadata.finalizers': ['a b/c'] },
];

const meta = { name: 'base', labels: { b: 'c' }, annotations: { b: 'c' } };

/** A kind of which only the rules for names and the looks at the metadata are asked. */
function asked(title: string, collection: string, object: Record<string, unknown>): RuleCases {
  const [apiVersion, kind] = title.split(/[ ,]/);
  return {
    title,
    collection,
    base: { apiVersion, kind, metadata: meta, ...object },
    creates: [...names, ...looks],
    updates: looks,
  };
}

export const cases: readonly RuleCases[] = [
  {
    title: 'v1 ConfigMap, metadata',
    collection: '/api/v1/namespaces/{ns}/configmaps',
    base: { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta },
    creates,
    differs: {
      'update metadata.selfLink = "/x"':
        'kube-apiserver drops selfLink when it stores an object, so that a dry run answers with it',
    },
    updates: [...changes, { 'metadata.uid': 'x' }, { 'metadata.resourceVersion': '1' }],
  },
  asked('v1 LimitRange, metadata', '/api/v1/namespaces/{ns}/limitranges', { spec: { limits: [] } }),
  asked('v1 ServiceAccount, metadata', '/api/v1/namespaces/{ns}/serviceaccounts', {}),
  asked(
    'coordination.k8s.io/v1 Lease, metadata',
    '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases',
    { spec: {} },
  ),
  asked(
    'policy/v1 PodDisruptionBudget, metadata',
    '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets',
    { spec: { minAvailable: 1 } },
  ),
  asked(
    'rbac.authorization.k8s.io/v1 Role, metadata',
    '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles',
    { rules: [] },
  ),
];
