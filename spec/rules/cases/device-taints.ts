import type { RuleCases } from '../rule-cases.ts';

const apiVersion = 'resource.k8s.io/v1';
const time = '2024-01-02T03:04:05Z';
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'Why',
  message: 'b',
  lastTransitionTime: time,
});

export const cases: readonly RuleCases[] = [
  {
    title: `${apiVersion} DeviceTaintRule`,
    since: 37,
    collection: `/apis/${apiVersion}/devicetaintrules`,
    base: {
      apiVersion,
      kind: 'DeviceTaintRule',
      metadata: { name: '{ns}-base' },
      spec: {
        deviceSelector: { driver: '{ns}.example.com', pool: 'pool', device: 'one' },
        taint: { key: 'example.com/a', value: 'b', effect: 'None', timeAdded: time },
      },
    },
    creates: [
      { spec: undefined },
      { 'spec.taint': undefined },
      { 'spec.deviceSelector': undefined },
      { 'spec.deviceSelector': {} },
      { 'spec.deviceSelector.driver': 'A b' },
      { 'spec.deviceSelector.driver': '' },
      { 'spec.deviceSelector.driver': `a.${'b'.repeat(62)}` },
      { 'spec.deviceSelector.pool': '' },
      { 'spec.deviceSelector.pool': 'a/B' },
      { 'spec.deviceSelector.pool': 'a'.repeat(254) },
      { 'spec.deviceSelector.device': '' },
      { 'spec.deviceSelector.device': 'A' },
      { 'spec.taint.key': undefined },
      { 'spec.taint.key': '-' },
      { 'spec.taint.value': undefined },
      { 'spec.taint.value': '-' },
      { 'spec.taint.effect': undefined },
      { 'spec.taint.effect': 'NoSchedule' },
      { 'spec.taint.effect': 'PreferNoSchedule' },
      { 'spec.taint.timeAdded': undefined },
      { 'status.conditions': [condition('A')] },
      { 'metadata.name': 'A' },
    ],
    updates: [
      { 'metadata.labels': { a: 'b' } },
      { 'metadata.labels': { a: '-' } },
      { 'spec.taint.effect': 'NoExecute' },
      { 'spec.taint.effect': 'Other' },
      { 'spec.taint.effect': undefined },
      { 'spec.taint.value': 'c' },
      { 'spec.taint.timeAdded': undefined },
      { 'spec.taint.timeAdded': '2024-01-02T03:04:06Z', 'spec.taint.effect': 'NoSchedule' },
      { 'spec.deviceSelector.device': 'A' },
      { 'status.conditions': [condition('A')] },
      { 'metadata.resourceVersion': undefined },
    ],
    statuses: [
      { 'metadata.labels': { a: 'b' } },
      { 'spec.taint.value': 'c' },
      { 'status.conditions': [condition('A')] },
      { 'status.conditions': [condition('A'), condition('A')] },
      { 'status.conditions': [condition('A', 'Maybe')] },
      { 'status.conditions': [condition('A', '')] },
      { 'status.conditions': [condition('-')] },
      { 'status.conditions': [{ type: 'A', status: 'True' }] },
      { 'status.conditions': 'ABCDEFGH'.split('').map((type) => condition(type)) },
      { 'status.conditions': 'ABCDEFGHI'.split('').map((type) => condition(type)) },
    ],
  },
];
