import type { RuleCases } from '../rule-cases.ts';

const apiVersion = 'storagemigration.k8s.io/v1';
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'Why',
  message: 'b',
  lastTransitionTime: '2024-01-02T03:04:05Z',
});

export const cases: readonly RuleCases[] = [
  {
    title: `${apiVersion} StorageVersionMigration`,
    since: 37,
    collection: `/apis/${apiVersion}/storageversionmigrations`,
    base: {
      apiVersion,
      kind: 'StorageVersionMigration',
      metadata: { name: '{ns}-base' },
      spec: { resource: { group: '{ns}.example.com', resource: 'nothings' } },
    },
    creates: [
      { spec: undefined },
      { 'spec.resource': undefined },
      { 'spec.resource.resource': undefined },
      { 'spec.resource.resource': 'A' },
      { 'spec.resource.resource': '1a' },
      { 'spec.resource.resource': 'a'.repeat(64) },
      { 'spec.resource.group': undefined },
      { 'spec.resource.group': 'A' },
      { 'spec.resource.group': `A${'a'.repeat(253)}` },
      { 'spec.resource.version': 'v1' },
      { 'status.resourceVersion': '1' },
      { 'metadata.name': 'A' },
    ],
    updates: [
      { 'metadata.labels': { a: 'b' } },
      { 'metadata.labels': { a: '-' } },
      { 'metadata.finalizers': ['a'] },
      { 'spec.resource.resource': 'others' },
      { 'spec.resource.resource': 'A' },
      { 'spec.resource.group': undefined },
      { 'status.resourceVersion': '1' },
      { 'metadata.resourceVersion': undefined },
    ],
    statuses: [
      { 'metadata.labels': { a: 'b' } },
      { 'spec.resource.resource': 'others' },
      { 'status.resourceVersion': '1' },
      { 'status.resourceVersion': '0' },
      { 'status.resourceVersion': '01' },
      { 'status.resourceVersion': '-1' },
      { 'status.resourceVersion': 'a' },
      { 'status.conditions': [condition('Running')] },
      { 'status.conditions': [condition('Other', 'Unknown')] },
      { 'status.conditions': [condition('Succeeded'), condition('Failed')] },
      { 'status.conditions': [condition('Succeeded'), condition('Failed', 'False')] },
      { 'status.conditions': [condition('Running'), condition('Running')] },
      { 'status.conditions': [condition('Running', 'Maybe')] },
      { 'status.conditions': [condition('Running', '')] },
      { 'status.conditions': [condition('')] },
      { 'status.conditions': [{ type: 'Running', status: 'True' }] },
    ],
  },
];
