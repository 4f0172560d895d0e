import type { RuleCases } from '../rule-cases.ts';

const meta = { name: 'base', labels: { a: 'b' }, annotations: { a: 'b' } };
const clusterMeta = { name: '{ns}-base', labels: { a: 'b' }, annotations: { a: 'b' } };
const secrets = '/api/v1/namespaces/{ns}/secrets';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secret(type: string, data: object, creates: RuleCases['creates']): RuleCases {
  return {
    title: `v1 Secret, ${type}`,
    collection: secrets,
    base: { apiVersion: 'v1', kind: 'Secret', metadata: meta, type, data },
    ...(creates === undefined ? {} : { creates }),
  };
}

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';

const secretCases: readonly RuleCases[] = [
  {
    title: 'v1 Secret',
    collection: secrets,
    base: { apiVersion: 'v1', kind: 'Secret', metadata: meta, data: { a: 'YQ==' } },
    creates: [
      { 'data["with space"]': 'YQ==' },
      { 'data["."]': 'YQ==' },
      { 'data["..a"]': 'YQ==' },
      { 'data.a': 'not base64' },
      { 'data.a': null },
      { 'data.a': 5 },
      { 'data.big': base64('x'.repeat(1024 * 1024)) },
      { 'data.big': base64('x'.repeat(1024 * 1024 - 1)) },
      { 'stringData.a': 'other' },
      { 'stringData["b c"]': 'other' },
      { stringData: {} },
      { type: 'example.com/own' },
      { type: '' },
      { immutable: true },
      { immutable: false },
    ],
    updates: [
      { 'data.a': 'Yg==' },
      { type: 'example.com/own' },
      { type: '' },
      { type: undefined },
      { immutable: true },
      { stringData: { b: 'c' } },
    ],
  },
  {
    title: 'v1 Secret, immutable',
    collection: secrets,
    base: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: meta,
      data: { a: 'YQ==' },
      immutable: true,
    },
    updates: [
      { 'data.a': 'Yg==' },
      { 'data.b': 'Yg==' },
      { immutable: false },
      { immutable: undefined },
      { 'metadata.labels.c': 'd' },
    ],
  },
  {
    title: 'v1 Secret, service account token',
    collection: secrets,
    base: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'base', annotations: { 'kubernetes.io/service-account.name': 'x' } },
      type: 'kubernetes.io/service-account-token',
    },
    creates: [
      { 'metadata.annotations': undefined },
      { 'metadata.annotations["kubernetes.io/service-account.name"]': '' },
    ],
  },
  secret('kubernetes.io/dockercfg', { '.dockercfg': base64('{}') }, [
    { data: undefined },
    { data: { other: 'YQ==' } },
    { 'data[".dockercfg"]': '' },
    { 'data[".dockercfg"]': base64('{"a":') },
    { 'data[".dockercfg"]': base64('x') },
    { 'data[".dockercfg"]': base64('[]') },
    { 'data[".dockercfg"]': base64('"a"') },
    { 'data[".dockercfg"]': base64('1') },
    { 'data[".dockercfg"]': base64('true') },
    { 'data[".dockercfg"]': base64('null') },
  ]),
  secret('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64('{}') }, [
    { data: undefined },
    { 'data[".dockerconfigjson"]': base64('{,}') },
  ]),
  secret('kubernetes.io/basic-auth', { username: 'YQ==' }, [
    { data: undefined },
    { data: { password: '' } },
    { data: { other: 'YQ==' } },
  ]),
  secret('kubernetes.io/ssh-auth', { 'ssh-privatekey': 'YQ==' }, [
    { data: undefined },
    { 'data["ssh-privatekey"]': '' },
  ]),
  secret('kubernetes.io/tls', { 'tls.crt': 'YQ==', 'tls.key': 'YQ==' }, [
    { data: undefined },
    { 'data["tls.crt"]': undefined },
    { 'data["tls.key"]': undefined },
    { 'data["tls.crt"]': base64(PEM) },
    { 'data["tls.crt"]': base64(KEY) },
    { 'data["tls.crt"]': base64(PEM), 'data["tls.key"]': base64(PEM) },
  ]),
];

const taint = { key: 'example.com/a', value: 'b', effect: 'NoSchedule' };

const nodes: RuleCases = {
  title: 'v1 Node',
  collection: '/api/v1/nodes',
  base: { apiVersion: 'v1', kind: 'Node', metadata: clusterMeta, spec: {}, status: {} },
  creates: [
    { 'spec.taints': [taint] },
    { 'spec.taints': [taint, taint] },
    { 'spec.taints': [{ ...taint, key: '' }] },
    { 'spec.taints': [{ ...taint, key: 'a b' }] },
    { 'spec.taints': [{ ...taint, value: '-' }] },
    { 'spec.taints': [{ ...taint, value: `-${'x'.repeat(63)}` }] },
    { 'spec.taints': [{ ...taint, effect: '' }] },
    { 'spec.taints': [{ ...taint, effect: 'Other' }] },
    { 'spec.podCIDR': '10.0.0.0/24' },
    { 'spec.podCIDR': '10.0.0.1/24' },
    { 'spec.podCIDRs': ['10.0.0.0/24', 'fd00::/64'] },
    { 'spec.podCIDRs': ['fd00::/64', '10.0.0.0/24'] },
    { 'spec.podCIDRs': ['10.0.0.0/24', '10.1.0.0/24'] },
    { 'spec.podCIDRs': ['10.0.0.0/24', 'fd00::/64', 'fd01::/64'] },
    { 'spec.podCIDRs': ['FD00::/64'] },
    { 'spec.podCIDRs': ['none'] },
    { 'spec.podCIDR': '10.0.0.0/24', 'spec.podCIDRs': ['10.1.0.0/24'] },
    { 'spec.externalID': 'x' },
    { 'spec.providerID': 'x' },
    { 'spec.configSource': {} },
    { 'spec.unschedulable': true },
    { 'status.capacity': { cpu: '1', memory: '1Gi', pods: '110' } },
    { 'status.capacity': { cpu: '-1' } },
    { 'status.capacity': { pods: '1500m' } },
    { 'status.capacity': { 'example.com/gpu': '1500m' } },
    { 'status.allocatable': { memory: '-1' } },
    { 'status.nodeInfo': { swap: { capacity: 0 } } },
    { 'status.nodeInfo': { swap: { capacity: 5 } } },
    { 'status.declaredFeatures': ['A', 'B'] },
    { 'status.declaredFeatures': ['B', 'A'] },
    { 'status.declaredFeatures': ['A', 'A'] },
    { 'status.declaredFeatures': ['a'] },
    { 'status.declaredFeatures': ['A/b', 'A/b/'] },
    { 'metadata.annotations["scheduler.alpha.kubernetes.io/taints"]': '[' },
    { 'metadata.annotations["scheduler.alpha.kubernetes.io/taints"]': '[{"key":"a"}]' },
    { 'metadata.annotations["scheduler.alpha.kubernetes.io/preferAvoidPods"]': '{' },
    {
      'metadata.annotations["scheduler.alpha.kubernetes.io/preferAvoidPods"]':
        '{"preferAvoidPods":[{"podSignature":{}}]}',
    },
  ],
  updates: [
    { 'spec.podCIDR': '10.0.0.0/24' },
    { 'spec.taints': [{ ...taint, effect: 'Other' }] },
    { 'spec.providerID': 'x' },
    { 'spec.externalID': 'x' },
    { 'spec.unschedulable': true },
    { 'spec.configSource': {} },
    { 'status.capacity': { cpu: '-1' } },
  ],
  statuses: [
    { 'status.capacity': { cpu: '1' } },
    { 'status.capacity': { cpu: '-1' } },
    { 'status.addresses': [{ type: 'InternalIP', address: '192.0.2.1' }] },
    {
      'status.addresses': [
        { type: 'InternalIP', address: '192.0.2.1' },
        { type: 'InternalIP', address: '192.0.2.1' },
      ],
    },
    { 'status.declaredFeatures': ['b'] },
    { 'status.conditions': [{ type: 'Ready', status: 'True' }] },
    { 'spec.unschedulable': true },
    { 'status.config': { error: 'x' } },
  ],
};

const assignedNode: RuleCases = {
  title: 'v1 Node, assigned',
  collection: '/api/v1/nodes',
  base: {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: clusterMeta,
    spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'], podCIDR: '10.0.0.0/24', providerID: 'a' },
  },
  updates: [
    { 'spec.podCIDRs': ['10.0.0.0/24'] },
    { 'spec.podCIDRs': ['10.1.0.0/24', 'fd00::/64'], 'spec.podCIDR': '10.1.0.0/24' },
    { 'spec.podCIDRs': undefined, 'spec.podCIDR': undefined },
    { 'spec.providerID': 'b' },
    { 'spec.providerID': undefined },
  ],
};

const quota = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: meta,
  spec,
});
const expression = (scopeName: string, operator: string, values?: string[]): object => ({
  'spec.scopeSelector': {
    matchExpressions: [{ scopeName, operator, ...(values === undefined ? {} : { values }) }],
  },
});
const quotas = '/api/v1/namespaces/{ns}/resourcequotas';

const quotaCases: readonly RuleCases[] = [
  {
    title: 'v1 ResourceQuota',
    collection: quotas,
    base: quota({ hard: { pods: '10' } }) as RuleCases['base'],
    creates: [
      { 'spec.hard': undefined },
      ...['cpu', 'requests.cpu', 'limits.memory', 'requests.storage', 'services.nodeports'].map(
        (name) => ({ 'spec.hard': { [name]: '1' } }),
      ),
      ...['storage', 'other', 'a b', 'example.com/a', 'requests.example.com/a'].map((name) => ({
        'spec.hard': { [name]: '1' },
      })),
      { 'spec.hard': { 'count/deployments.apps': '1' } },
      { 'spec.hard': { 'hugepages-2Mi': '2Mi' } },
      { 'spec.hard': { 'requests.hugepages-2Mi': '2Mi' } },
      { 'spec.hard': { pods: '-1' } },
      { 'spec.hard': { pods: '1500m' } },
      { 'spec.hard': { cpu: '1500m' } },
      { 'spec.hard': { 'requests.cpu': '2', 'limits.cpu': '1' } },
      { 'spec.hard': { memory: '2Gi', 'limits.memory': '1Gi' } },
      { 'spec.scopes': ['BestEffort'] },
      { 'spec.scopes': ['Other'] },
      { 'spec.scopes': ['BestEffort', 'NotBestEffort'] },
      { 'spec.scopes': ['Terminating', 'NotTerminating'] },
      { 'spec.scopes': ['VolumeAttributesClass'] },
      { 'spec.hard': { secrets: '1' }, 'spec.scopes': ['Terminating'] },
      { 'spec.hard': { persistentvolumeclaims: '1' }, 'spec.scopes': ['VolumeAttributesClass'] },
      expression('PriorityClass', 'In', ['a']),
      expression('PriorityClass', 'In'),
      expression('PriorityClass', 'Exists'),
      expression('PriorityClass', 'DoesNotExist', ['a']),
      expression('PriorityClass', 'Other'),
      expression('BestEffort', 'Exists'),
      expression('BestEffort', 'In', ['a']),
      expression('Other', 'Exists'),
      { 'spec.hard': { secrets: '1' }, ...expression('PriorityClass', 'Exists') },
      {
        'spec.scopeSelector': {
          matchExpressions: [
            { scopeName: 'Terminating', operator: 'Exists' },
            { scopeName: 'NotTerminating', operator: 'Exists' },
          ],
        },
      },
      { status: { hard: { other: '1' } } },
    ] as RuleCases['creates'] & object,
    updates: [
      { 'spec.hard.pods': '5' },
      { 'spec.hard.pods': '-5' },
      { 'spec.scopes': ['BestEffort'] },
      { status: { hard: { pods: '1' } } },
    ],
    statuses: [
      { status: { hard: { pods: '1' }, used: { pods: '0' } } },
      { status: { hard: { other: '1' } } },
      { status: { used: { pods: '-1' } } },
      { status: { used: { pods: '100m' } } },
      { 'spec.hard.pods': '5' },
    ],
  },
];

const event = {
  metadata: { name: 'base' },
  involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}', apiVersion: 'v1' },
  reason: 'Started',
  message: 'began',
  type: 'Normal',
  source: { component: 'demo' },
};
const TIME = '2026-01-01T00:00:00.000000Z';
const newEvent = {
  eventTime: TIME,
  reportingComponent: 'example.com/demo',
  reportingInstance: 'one',
  action: 'Start',
};

const coreEvents: RuleCases = {
  title: 'v1 Event',
  collection: '/api/v1/namespaces/{ns}/events',
  base: { apiVersion: 'v1', kind: 'Event', ...event },
  creates: [
    { 'metadata.name': 'A_b' },
    { 'metadata.name': 'a%' },
    { 'involvedObject.namespace': 'other' },
    { 'involvedObject.namespace': undefined },
    { involvedObject: undefined },
    { type: 'Other' },
    { type: undefined },
    { reason: undefined },
    { count: 5, firstTimestamp: '2026-01-01T00:00:00Z' },
    newEvent,
    { ...newEvent, eventTime: '2026-01-01T00:00:00Z' },
    { ...newEvent, 'involvedObject.namespace': 'other' },
    { ...newEvent, 'involvedObject.namespace': undefined },
    { ...newEvent, reportingComponent: undefined },
    { ...newEvent, reportingComponent: 'a b' },
    { ...newEvent, reportingInstance: undefined },
    { ...newEvent, reportingInstance: 'x'.repeat(129) },
    { ...newEvent, action: undefined },
    { ...newEvent, action: 'x'.repeat(129) },
    { ...newEvent, reason: undefined },
    { ...newEvent, reason: 'x'.repeat(129) },
    { ...newEvent, message: 'x'.repeat(1025) },
    { ...newEvent, message: 'x'.repeat(1024) },
    { series: { count: 1 } },
  ],
  updates: [
    { message: 'other' },
    { count: 7 },
    { 'involvedObject.name': 'q' },
    { 'involvedObject.namespace': 'other' },
  ],
};

const groupEvents: RuleCases = {
  title: 'events.k8s.io/v1 Event',
  collection: '/apis/events.k8s.io/v1/namespaces/{ns}/events',
  base: {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'base' },
    eventTime: TIME,
    reportingController: 'example.com/demo',
    reportingInstance: 'one',
    action: 'Start',
    reason: 'Started',
    type: 'Normal',
    note: 'began',
    regarding: { kind: 'Pod', name: 'p', namespace: '{ns}', apiVersion: 'v1' },
  },
  creates: [
    { 'metadata.name': 'A_b' },
    { 'regarding.namespace': 'other' },
    { 'regarding.namespace': undefined },
    { eventTime: undefined },
    { reportingController: undefined },
    { reportingController: 'a b' },
    { reportingInstance: undefined },
    { action: undefined },
    { reason: undefined },
    { note: 'x'.repeat(1025) },
    { type: undefined },
    { type: 'Other' },
    { deprecatedCount: 1 },
    { deprecatedSource: { host: 'a' } },
    { deprecatedFirstTimestamp: '2026-01-01T00:00:00Z' },
    { deprecatedLastTimestamp: '2026-01-01T00:00:00Z' },
    { series: { count: 1, lastObservedTime: TIME } },
    { series: { count: 2 } },
    { series: { count: 2, lastObservedTime: TIME } },
  ],
  updates: [
    { series: { count: 2, lastObservedTime: TIME } },
    { series: { count: 1, lastObservedTime: TIME } },
    { note: 'other' },
    { reason: 'Other' },
    { type: 'Warning' },
    { action: 'Other' },
    { eventTime: '2026-01-02T00:00:00.000000Z' },
    { reportingController: 'example.com/other' },
    { reportingInstance: 'two' },
    { 'regarding.name': 'q' },
    { related: { kind: 'Pod', name: 'r' } },
    { deprecatedCount: 3 },
    { deprecatedSource: { component: 'x' } },
    { deprecatedFirstTimestamp: '2026-01-01T00:00:00Z' },
  ],
};

const accounts: RuleCases = {
  title: 'v1 ServiceAccount',
  collection: '/api/v1/namespaces/{ns}/serviceaccounts',
  base: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta },
  creates: [
    { secrets: [{ name: 'a', kind: 'Secret', namespace: 'x' }, {}] },
    { imagePullSecrets: [{ name: 'a' }, {}] },
    { automountServiceAccountToken: false },
    { 'metadata.annotations["kubernetes.io/enforce-mountable-secrets"]': 'true' },
  ],
  updates: [
    { secrets: [{ name: 'a', uid: 'x' }] },
    { 'metadata.annotations["kubernetes.io/enforce-mountable-secrets"]': 'true' },
  ],
};

const namespaces: RuleCases = {
  title: 'v1 Namespace',
  collection: '/api/v1/namespaces',
  base: { apiVersion: 'v1', kind: 'Namespace', metadata: clusterMeta },
  creates: [
    { 'metadata.name': 'Upper' },
    { 'metadata.name': 'a.b' },
    { 'spec.finalizers': ['example.com/a'] },
    { 'spec.finalizers': ['plain'] },
    { 'spec.finalizers': ['a b'] },
    { status: { phase: 'Terminating' } },
    { 'metadata.labels["kubernetes.io/metadata.name"]': 'other' },
  ],
  updates: [
    { 'spec.finalizers': ['example.com/a'] },
    { 'metadata.labels["kubernetes.io/metadata.name"]': 'other' },
    { 'status.phase': 'Terminating' },
  ],
  statuses: [
    { 'status.phase': 'Terminating' },
    { 'status.phase': 'Other' },
    { 'status.conditions': [{ type: 'a', status: 'True' }] },
    { 'spec.finalizers': ['example.com/a'] },
  ],
};

export const cases: readonly RuleCases[] = [
  ...secretCases,
  nodes,
  assignedNode,
  ...quotaCases,
  coreEvents,
  groupEvents,
  accounts,
  namespaces,
];
