import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

const meta = { name: 'base' };
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };

const target = { type: 'Value', value: '10' };
const resource = (change: object): Change => ({
  'spec.metrics': [
    {
      type: 'Resource',
      resource: {
        name: 'cpu',
        target: { type: 'Utilization', averageUtilization: 50 },
        ...change,
      },
    },
  ],
});
const container = (change: object): Change => ({
  'spec.metrics': [
    {
      type: 'ContainerResource',
      containerResource: {
        name: 'cpu',
        container: 'c',
        target: { type: 'Utilization', averageUtilization: 50 },
        ...change,
      },
    },
  ],
});
const object = (change: object): Change => ({
  'spec.metrics': [
    {
      type: 'Object',
      object: {
        describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
        metric: { name: 'm' },
        target,
        ...change,
      },
    },
  ],
});
const pods = (change: object): Change => ({
  'spec.metrics': [
    {
      type: 'Pods',
      pods: {
        metric: { name: 'm' },
        target: { type: 'AverageValue', averageValue: '10' },
        ...change,
      },
    },
  ],
});
const external = (change: object): Change => ({
  'spec.metrics': [{ type: 'External', external: { metric: { name: 'm' }, target, ...change } }],
});
const policy = { type: 'Pods', value: 1, periodSeconds: 15 };
const scaleUp = (change: object): Change => ({
  'spec.behavior': { scaleUp: { policies: [policy], ...change } },
});

const common: readonly Change[] = [
  { spec: undefined },
  { 'spec.maxReplicas': 0 },
  { 'spec.maxReplicas': -1 },
  { 'spec.maxReplicas': undefined },
  { 'spec.minReplicas': 0 },
  { 'spec.minReplicas': -1 },
  { 'spec.minReplicas': 3 },
  { 'spec.minReplicas': 4 },
  { 'spec.scaleTargetRef': undefined },
  { 'spec.scaleTargetRef.kind': '' },
  { 'spec.scaleTargetRef.kind': 'a/b' },
  { 'spec.scaleTargetRef.kind': '..' },
  { 'spec.scaleTargetRef.name': '' },
  { 'spec.scaleTargetRef.name': 'a%b' },
  { 'spec.scaleTargetRef.name': 'Any Name' },
  { 'spec.scaleTargetRef.apiVersion': 'v1' },
  { 'spec.scaleTargetRef.apiVersion': 'a/b/c' },
  { 'spec.scaleTargetRef.apiVersion': '' },
  { 'spec.scaleTargetRef.apiVersion': undefined },
  { 'spec.scaleTargetRef.kind': 'ReplicationController', 'spec.scaleTargetRef.apiVersion': 'v1' },
  {
    'spec.scaleTargetRef.kind': 'ReplicationController',
    'spec.scaleTargetRef.apiVersion': undefined,
  },
];

const updates: readonly Change[] = [
  { 'spec.maxReplicas': 7 },
  { 'spec.maxReplicas': 0 },
  { 'spec.minReplicas': 0 },
  { 'spec.minReplicas': 2 },
  { 'spec.minReplicas': undefined },
  { 'spec.scaleTargetRef.apiVersion': 'v1' },
  { 'spec.scaleTargetRef.apiVersion': 'a/b/c' },
  { 'spec.scaleTargetRef.kind': 'Other' },
  { 'spec.scaleTargetRef.name': 'other' },
  { 'metadata.labels': { a: 'b' } },
  { 'status.currentReplicas': 4 },
];

const statuses: readonly Change[] = [
  { 'status.currentReplicas': -1 },
  { 'status.currentReplicas': 2 },
  { 'status.desiredReplicas': -1 },
  { 'status.desiredReplicas': 2 },
  { 'status.observedGeneration': -1 },
  { 'spec.maxReplicas': 9 },
  { 'metadata.labels': { a: 'b' } },
];

const second: RuleCases = {
  title: 'autoscaling/v2 HorizontalPodAutoscaler',
  collection: '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers',
  base: {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: meta,
    spec: { scaleTargetRef, maxReplicas: 3 },
  },
  creates: [
    ...common,
    { 'spec.metrics': [] },
    { 'spec.metrics': [{}] },
    { 'spec.metrics': [{ type: 'Other' }] },
    ...['Resource', 'ContainerResource', 'Object', 'Pods', 'External'].map((type) => ({
      'spec.metrics': [{ type }],
    })),
    {
      'spec.metrics': [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 } },
          pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } },
        },
      ],
    },
    {
      'spec.metrics': [
        {
          type: 'Pods',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 } },
        },
      ],
    },
    resource({}),
    resource({ name: '' }),
    resource({ name: 'any name' }),
    resource({ target: {} }),
    resource({ target: { type: 'Other', averageUtilization: 5 } }),
    resource({ target: { type: 'Utilization' } }),
    resource({ target: { type: 'Utilization', averageUtilization: 0 } }),
    resource({ target: { type: 'Utilization', averageUtilization: 5, averageValue: '1' } }),
    resource({ target: { type: 'AverageValue', averageValue: '1' } }),
    resource({ target: { type: 'AverageValue', averageValue: '0' } }),
    resource({ target: { type: 'AverageValue', averageValue: '-1' } }),
    resource({ target: { type: 'Value', value: '1' } }),
    container({}),
    container({ name: '' }),
    container({ name: 'other' }),
    container({ name: 'example.com/gpu' }),
    container({ name: 'kubernetes.io/other' }),
    container({ name: 'a b' }),
    container({ container: '' }),
    container({ container: 'Upper' }),
    container({ target: { type: 'Utilization' } }),
    container({ target: { type: 'Utilization', averageUtilization: 5, averageValue: '1' } }),
    object({}),
    object({ describedObject: undefined }),
    object({ describedObject: { kind: 'Service', name: 's', apiVersion: 'a/b/c' } }),
    object({ describedObject: { kind: 'a/b', name: 's', apiVersion: 'v1' } }),
    object({ describedObject: { kind: 'Service', name: 's' } }),
    object({ metric: {} }),
    object({ metric: { name: 'a/b' } }),
    object({ metric: { name: 'm', selector: { matchLabels: { a: '-' } } } }),
    object({ target: { type: 'Value' } }),
    object({ target: { type: 'Value', value: '0' } }),
    object({ target: { type: 'AverageValue', averageValue: '1500m' } }),
    pods({}),
    pods({ metric: { name: '..' } }),
    pods({ target: { type: 'AverageValue' } }),
    pods({ target: { type: 'Value', value: '1' } }),
    external({}),
    external({ target: { type: 'Value' } }),
    external({ target: { type: 'Value', value: '1', averageValue: '1' } }),
    external({ metric: { name: 'm', selector: {} } }),
    { ...external({}), 'spec.minReplicas': 0 },
    { ...resource({}), 'spec.minReplicas': 0 },
    { 'spec.behavior': {} },
    { 'spec.behavior.scaleUp': {} },
    { 'spec.behavior.scaleDown': {} },
    { 'spec.behavior.scaleDown': { selectPolicy: 'Disabled' } },
    scaleUp({}),
    scaleUp({ policies: [] }),
    scaleUp({ policies: [{}] }),
    scaleUp({ policies: [{ ...policy, type: 'Other' }] }),
    scaleUp({ policies: [{ ...policy, type: 'Percent' }] }),
    scaleUp({ policies: [{ ...policy, value: 0 }] }),
    scaleUp({ policies: [{ ...policy, periodSeconds: 0 }] }),
    scaleUp({ policies: [{ ...policy, periodSeconds: 1800 }] }),
    scaleUp({ policies: [{ ...policy, periodSeconds: 1801 }] }),
    scaleUp({ stabilizationWindowSeconds: -1 }),
    scaleUp({ stabilizationWindowSeconds: 3600 }),
    scaleUp({ stabilizationWindowSeconds: 3601 }),
    scaleUp({ selectPolicy: 'Min' }),
    scaleUp({ selectPolicy: 'Other' }),
    scaleUp({ tolerance: '0.05' }),
    scaleUp({ tolerance: '-1' }),
    { 'spec.behavior.scaleDown': { tolerance: '-1' } },
    { 'spec.behavior.scaleDown': { stabilizationWindowSeconds: 3601 } },
    { status: { currentReplicas: 4 } },
  ],
  updates: [...updates, { 'spec.metrics': [{ type: 'Other' }] }, { 'spec.behavior': {} }],
  statuses,
};

const firstVersion: RuleCases = {
  title: 'autoscaling/v1 HorizontalPodAutoscaler',
  collection: '/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers',
  base: {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: meta,
    spec: { scaleTargetRef, maxReplicas: 3 },
  },
  creates: [
    ...common,
    { 'spec.targetCPUUtilizationPercentage': 0 },
    { 'spec.targetCPUUtilizationPercentage': -1 },
    { 'spec.targetCPUUtilizationPercentage': 70 },
    { 'metadata.annotations': { 'autoscaling.alpha.kubernetes.io/metrics': '[{"type":"Other"}]' } },
    { 'metadata.annotations': { 'autoscaling.alpha.kubernetes.io/behavior': '{"ScaleUp":{}}' } },
  ],
  updates: [...updates, { 'spec.targetCPUUtilizationPercentage': 0 }],
  statuses,
};

export const cases: readonly RuleCases[] = [second, firstVersion];
