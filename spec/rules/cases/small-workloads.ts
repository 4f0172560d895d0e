import type { RuleCases } from '../rule-cases.ts';

const meta = { name: 'base' };
const LONG = 'x'.repeat(64);

const lease: RuleCases = {
  title: 'coordination.k8s.io/v1 Lease',
  collection: '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases',
  base: {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: meta,
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 1,
      acquireTime: '2020-01-01T00:00:00.000000Z',
      renewTime: '2020-01-01T00:00:00.000000Z',
    },
  },
  creates: [
    { spec: undefined },
    { 'spec.leaseDurationSeconds': 0 },
    { 'spec.leaseDurationSeconds': -1 },
    { 'spec.leaseTransitions': -1 },
    { 'spec.leaseTransitions': 0 },
    { 'spec.leaseTransitions': 3_000_000_000 },
    { 'spec.renewTime': '2020-01-01T00:00:00.123Z' },
    { 'spec.renewTime': '2020-01-01T00:00:00Z' },
    { 'spec.renewTime': '2020-01-01T00:00:00.123456Z' },
    { 'spec.renewTime': '2020-01-01T00:00:00.123456+01:00' },
    { 'spec.renewTime': '2020-01-01T00:00:00.1234567Z' },
    { 'spec.renewTime': null },
    { 'spec.acquireTime': '2020-01-01T00:00:00.12Z' },
    { 'spec.strategy': 'OldestEmulationVersion' },
    { 'spec.strategy': 'other' },
    { 'spec.strategy': 'example.com/other' },
    { 'spec.preferredHolder': 'b' },
    { 'spec.holderIdentity': '' },
    { 'spec.holderIdentity': 1 },
    { 'metadata.name': 'Upper' },
  ],
  updates: [
    { 'spec.leaseDurationSeconds': 0 },
    { 'spec.leaseTransitions': -1 },
    { 'spec.leaseTransitions': 2 },
    { 'spec.renewTime': '2021-01-01T00:00:00.123456Z' },
    { 'spec.preferredHolder': 'b' },
    { 'spec.holderIdentity': undefined },
  ],
};

const PRIORITY = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: '{ns}-base' },
};

const priorityClass: RuleCases = {
  title: 'scheduling.k8s.io/v1 PriorityClass',
  collection: '/apis/scheduling.k8s.io/v1/priorityclasses',
  base: { ...PRIORITY, value: 10 },
  creates: [
    { value: undefined },
    { value: 1_000_000_000 },
    { value: 1_000_000_001 },
    { value: -2_147_483_648 },
    { value: 2_147_483_648 },
    { preemptionPolicy: 'Never' },
    { preemptionPolicy: 'PreemptLowerPriority' },
    { preemptionPolicy: 'Other' },
    { preemptionPolicy: '' },
    { 'metadata.name': 'system-other' },
    { 'metadata.name': 'system-node-critical', value: 2_000_001_000 },
    { description: 'text' },
    { globalDefault: false },
  ],
  updates: [
    { value: 11 },
    { preemptionPolicy: 'Never' },
    { preemptionPolicy: undefined },
    { description: 'text' },
    { 'metadata.labels': { a: 'b' } },
  ],
};

const BUDGET = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets';

const budget: RuleCases = {
  title: 'policy/v1 PodDisruptionBudget',
  collection: BUDGET,
  base: {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta,
    spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
  },
  creates: [
    { spec: undefined },
    { 'spec.minAvailable': undefined },
    { 'spec.minAvailable': -1 },
    { 'spec.minAvailable': 0 },
    { 'spec.minAvailable': '100%' },
    { 'spec.minAvailable': '101%' },
    { 'spec.minAvailable': '-1%' },
    { 'spec.minAvailable': '1' },
    { 'spec.minAvailable': '' },
    { 'spec.minAvailable': undefined, 'spec.maxUnavailable': -1 },
    { 'spec.minAvailable': undefined, 'spec.maxUnavailable': '10%' },
    { 'spec.minAvailable': undefined, 'spec.maxUnavailable': '101%' },
    { 'spec.minAvailable': undefined, 'spec.maxUnavailable': 'x' },
    { 'spec.maxUnavailable': 1 },
    { 'spec.minAvailable': '10%', 'spec.maxUnavailable': '5%', 'spec.selector': undefined },
    { 'spec.selector': {} },
    { 'spec.selector': undefined },
    { 'spec.selector.matchLabels.a': '-' },
    { 'spec.selector.matchLabels["-"]': 'a' },
    { 'spec.selector.matchLabels.a': LONG },
    { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'In' }] },
    { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'Exists', values: ['b'] }] },
    { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'Gt', values: ['1'] }] },
    { 'spec.selector.matchExpressions': [{ key: 'a', operator: 'In', values: ['-'] }] },
    { 'spec.selector.matchExpressions': [{ key: '', operator: 'Exists' }] },
    { 'spec.selector.matchExpressions': [{ key: 'a', operator: '' }] },
    { 'spec.unhealthyPodEvictionPolicy': 'AlwaysAllow' },
    { 'spec.unhealthyPodEvictionPolicy': 'IfHealthyBudget' },
    { 'spec.unhealthyPodEvictionPolicy': 'Other' },
    { 'spec.unhealthyPodEvictionPolicy': '' },
    { status: { expectedPods: 3 } },
    { 'metadata.generation': 7 },
  ],
  updates: [
    { 'spec.minAvailable': 2 },
    { 'spec.minAvailable': -2 },
    { 'spec.maxUnavailable': 2 },
    { 'spec.selector.matchLabels.a': 'c' },
    { 'spec.selector.matchLabels.a': '-' },
    { 'spec.selector': undefined },
    { 'spec.unhealthyPodEvictionPolicy': 'Other' },
    { 'metadata.labels': { a: 'b' } },
    { 'metadata.annotations': { a: 'b' } },
    { 'status.expectedPods': 4 },
  ],
  statuses: [
    { 'status.expectedPods': -1 },
    { 'status.disruptionsAllowed': -1 },
    { 'status.currentHealthy': -1 },
    { 'status.desiredHealthy': -1 },
    { 'status.expectedPods': 4 },
    { 'spec.minAvailable': 3 },
    { 'metadata.labels': { a: 'b' } },
    { 'status.disruptedPods': { p: '2020-01-01T00:00:00Z' } },
    ...[
      { type: 'A' },
      { type: '-', status: 'True', reason: 'A', lastTransitionTime: '2020-01-01T00:00:00Z' },
      { type: 'A', status: 'Other', reason: 'A', lastTransitionTime: '2020-01-01T00:00:00Z' },
      { type: 'A', status: 'True', reason: '-', lastTransitionTime: '2020-01-01T00:00:00Z' },
      { type: 'A', status: 'True', reason: 'A' },
      {
        type: 'A',
        status: 'True',
        reason: 'A',
        lastTransitionTime: '2020-01-01T00:00:00Z',
        observedGeneration: -1,
      },
      {
        type: 'A',
        status: 'True',
        reason: 'A'.repeat(1025),
        lastTransitionTime: '2020-01-01T00:00:00Z',
      },
      {
        type: 'A',
        status: 'True',
        reason: 'A',
        lastTransitionTime: '2020-01-01T00:00:00Z',
        message: 'x'.repeat(32769),
      },
      { type: 'A', status: 'True', reason: 'A', lastTransitionTime: '2020-01-01T00:00:00Z' },
    ].map((condition) => ({ 'status.conditions': [condition] })),
    {
      'status.conditions': ['A', 'A'].map((type) => ({
        type,
        status: 'True',
        reason: 'A',
        lastTransitionTime: '2020-01-01T00:00:00Z',
      })),
    },
  ],
};

const invalidBudget: RuleCases = {
  title: 'policy/v1 PodDisruptionBudget, percent',
  collection: BUDGET,
  base: {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta,
    spec: { maxUnavailable: '50%' },
  },
  updates: [
    { 'spec.maxUnavailable': 1 },
    { 'spec.maxUnavailable': '101%' },
    { 'spec.maxUnavailable': undefined },
  ],
};

const revision: RuleCases = {
  title: 'apps/v1 ControllerRevision',
  collection: '/apis/apps/v1/namespaces/{ns}/controllerrevisions',
  base: {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: meta,
    revision: 1,
    data: { kind: 'Any', spec: { a: 1.5 } },
  },
  creates: [
    { revision: -1 },
    { revision: 0 },
    { revision: undefined },
    { data: undefined },
    { data: null },
    { data: 'text' },
    { data: [1] },
    { data: 1 },
    { data: {} },
    { data: { b: 1, a: [null, true] } },
  ],
  updates: [
    { revision: 2 },
    { revision: -2 },
    { data: { kind: 'Any', spec: { a: 2 } } },
    { data: undefined },
    { data: [] },
    { 'metadata.labels': { a: 'b' } },
  ],
};

export const cases: readonly RuleCases[] = [lease, priorityClass, budget, invalidBudget, revision];
