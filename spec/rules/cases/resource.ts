import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

const API = '/apis/resource.k8s.io/v1';
const apiVersion = 'resource.k8s.io/v1';
const named = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_none, index) => ({ name: `r${index}`, ...more }));
const opaque = { driver: 'd.example.com', parameters: { a: 1 } };
const cel = { expression: 'true' };

const EXACT = 'spec.devices.requests[0].exactly';
const FIRST = 'spec.devices.requests[0].firstAvailable';

/** Changes of the claims of a driver's configuration at a path. */
function ofConfiguration(path: string): readonly Change[] {
  return [
    { [path]: [{ opaque }] },
    { [path]: [{}] },
    { [path]: [{ opaque: {} }] },
    { [path]: [{ opaque: { ...opaque, driver: 'A b' } }] },
    { [path]: [{ opaque: { ...opaque, driver: 'x'.repeat(64) } }] },
    { [path]: [{ opaque: { ...opaque, parameters: null } }] },
    { [path]: [{ opaque: { ...opaque, parameters: {} } }] },
    { [path]: [{ opaque: { ...opaque, parameters: { a: 'x'.repeat(10 * 1024) } } }] },
  ];
}

const ofClaims: readonly Change[] = [
  { spec: undefined },
  { 'spec.devices': {} },
  { 'spec.devices.requests': named(32, { exactly: { deviceClassName: 'c' } }) },
  { 'spec.devices.requests': named(33, { exactly: { deviceClassName: 'c' } }) },
  { 'spec.devices.requests[0].name': undefined },
  { 'spec.devices.requests[0].name': 'A' },
  { 'spec.devices.requests[0].name': 'a.b' },
  { 'spec.devices.requests[1]': { name: 'r', exactly: { deviceClassName: 'c' } } },
  { 'spec.devices.requests[0]': { name: 'r' } },
  { [FIRST]: [{ name: 's', deviceClassName: 'c' }] },
  { 'spec.devices.requests[0]': { name: 'r', firstAvailable: [{ name: 's' }] } },
  {
    'spec.devices.requests[0]': {
      name: 'r',
      firstAvailable: [1, 2].map(() => ({ name: 's', deviceClassName: 'c' })),
    },
  },
  {
    'spec.devices.requests[0]': {
      name: 'r',
      firstAvailable: named(9, { deviceClassName: 'c' }),
    },
  },
  {
    'spec.devices.requests[0]': {
      name: 'r',
      firstAvailable: [{ name: 'S', deviceClassName: 'c', count: -1 }],
    },
  },
  { [`${EXACT}.deviceClassName`]: undefined },
  { [`${EXACT}.deviceClassName`]: 'A' },
  { [`${EXACT}.allocationMode`]: 'All' },
  { [`${EXACT}.allocationMode`]: 'All', [`${EXACT}.count`]: 1 },
  { [`${EXACT}.allocationMode`]: 'Other' },
  { [`${EXACT}.count`]: 0 },
  { [`${EXACT}.count`]: -1 },
  { [`${EXACT}.count`]: 2 },
  { [`${EXACT}.selectors`]: [{ cel }] },
  { [`${EXACT}.selectors`]: [{}] },
  { [`${EXACT}.selectors`]: [{ cel: { expression: 'x'.repeat(10 * 1024 + 1) } }] },
  { [`${EXACT}.selectors`]: Array.from({ length: 33 }, () => ({ cel })) },
  { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }] },
  { [`${EXACT}.tolerations`]: [{ key: 'a b', operator: 'Exists' }] },
  { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', value: 'b' }] },
  { [`${EXACT}.tolerations`]: [{ key: 'a', value: 'b c' }] },
  { [`${EXACT}.tolerations`]: [{ key: 'a' }] },
  { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Other' }] },
  { [`${EXACT}.tolerations`]: [{ key: 'a', operator: 'Exists', effect: 'Other' }] },
  { [`${EXACT}.tolerations`]: [{ operator: 'Exists', effect: 'None' }] },
  { [`${EXACT}.tolerations`]: [{ operator: 'Exists', tolerationSeconds: 3 }] },
  { [`${EXACT}.capacity`]: { requests: { memory: '1Gi' } } },
  { 'spec.devices.constraints': [{ requests: ['r'], matchAttribute: 'a.b/c' }] },
  { 'spec.devices.constraints': [{ matchAttribute: 'a.b/c' }] },
  { 'spec.devices.constraints': [{ distinctAttribute: 'a.b/c' }] },
  { 'spec.devices.constraints': [{ matchAttribute: 'c' }] },
  { 'spec.devices.constraints': [{ matchAttribute: 'a.b/' }] },
  { 'spec.devices.constraints': [{ matchAttribute: '/c' }] },
  { 'spec.devices.constraints': [{ matchAttribute: 'A_/c' }] },
  { 'spec.devices.constraints': [{ matchAttribute: 'a.b/c-d' }] },
  { 'spec.devices.constraints': [{ matchAttribute: `a.b/${'c'.repeat(33)}` }] },
  { 'spec.devices.constraints': [{}] },
  { 'spec.devices.constraints': [{ requests: ['other'], matchAttribute: 'a.b/c' }] },
  { 'spec.devices.constraints': [{ requests: ['r', 'r'], matchAttribute: 'a.b/c' }] },
  { 'spec.devices.constraints': [{ requests: ['r/s'], matchAttribute: 'a.b/c' }] },
  { 'spec.devices.constraints': [{ requests: ['r/s/t'], matchAttribute: 'a.b/c' }] },
  { 'spec.devices.constraints': [{ requests: ['A'], matchAttribute: 'a.b/c' }] },
  { 'spec.devices.constraints': Array.from({ length: 33 }, () => ({ matchAttribute: 'a/b' })) },
  ...ofConfiguration('spec.devices.config'),
  { 'spec.devices.config': [{ requests: ['other'], opaque }] },
  {
    'spec.devices.config': [{ requests: ['other'], opaque }],
    'spec.devices.constraints': undefined,
  },
  { 'spec.devices.config': [{ requests: ['r'], opaque }] },
];

const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } };

const claim: RuleCases = {
  title: `${apiVersion} ResourceClaim`,
  collection: `${API}/namespaces/{ns}/resourceclaims`,
  base: { apiVersion, kind: 'ResourceClaim', metadata: { name: 'base' }, spec },
  creates: [...ofClaims, { status: { reservedFor: [] } }, { [`${EXACT}.adminAccess`]: true }],
  updates: [
    { [`${EXACT}.deviceClassName`]: 'd' },
    { [`${EXACT}.count`]: -1 },
    { 'metadata.labels': { a: 'b' } },
    { 'status.reservedFor': [] },
  ],
};

const result = { request: 'r', driver: 'd.e', pool: 'p', device: 'd' };
const consumer = { resource: 'pods', name: 'a', uid: 'u' };
const allocation = { devices: { results: [result] } };
const device = { driver: 'd.e', pool: 'p', device: 'd' };
const time = '2024-01-02T03:04:05Z';
const allocated = (more: object): Change => ({ status: { allocation, ...more } });
const found = (more: object): Change => ({
  status: { allocation: { devices: { results: [{ ...result, ...more }] } } },
});

const claimStatus: RuleCases = {
  title: `${apiVersion} ResourceClaim, allocated`,
  collection: `${API}/namespaces/{ns}/resourceclaims`,
  base: { apiVersion, kind: 'ResourceClaim', metadata: { name: 'base' }, spec },
  statuses: [
    allocated({}),
    { status: { reservedFor: [consumer] } },
    allocated({ reservedFor: [consumer] }),
    allocated({ reservedFor: [consumer, consumer] }),
    allocated({ reservedFor: [{}] }),
    allocated({
      reservedFor: Array.from({ length: 257 }, (_none, at) => ({ ...consumer, uid: `u${at}` })),
    }),
    found({ request: 'other' }),
    found({ request: undefined }),
    found({ driver: undefined }),
    found({ pool: undefined }),
    found({ pool: 'A/b' }),
    found({ pool: 'a/b' }),
    found({ pool: 'a'.repeat(254) }),
    found({ device: 'A' }),
    found({ shareID: 'u' }),
    found({ shareID: 'A5C3F1E0-0000-4000-8000-000000000000' }),
    found({ shareID: 'a5c3f1e0-0000-4000-8000-000000000000' }),
    found({ bindingConditions: ['a'] }),
    found({ bindingFailureConditions: ['a'] }),
    found({ bindingConditions: ['a'], bindingFailureConditions: ['b'] }),
    found({ bindingConditions: ['a', 'a'], bindingFailureConditions: ['b', 'b'] }),
    found({ bindingConditions: ['a'], bindingFailureConditions: ['a'] }),
    found({ bindingConditions: ['a b'], bindingFailureConditions: ['b'] }),
    found({
      bindingConditions: ['a', 'b', 'c', 'd', 'e'],
      bindingFailureConditions: ['f'],
    }),
    { status: { allocation: { nodeSelector: { nodeSelectorTerms: [] } } } },
    {
      status: {
        allocation: {
          nodeSelector: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }],
          },
        },
      },
    },
    ...[
      [{ source: 'FromClaim', opaque }],
      [{ source: 'Other', opaque }],
      [{ opaque }],
      [{ source: 'FromClass' }],
      [{ source: 'FromClass', requests: ['other'], opaque }],
    ].map((config) => ({ status: { allocation: { devices: { results: [result], config } } } })),
    allocated({ devices: [device] }),
    allocated({ devices: [{ ...device, device: 'e' }] }),
    allocated({ devices: [{ ...device, shareID: 'a5c3f1e0-0000-4000-8000-000000000000' }] }),
    allocated({ devices: [device, device] }),
    allocated({ devices: [{}] }),
    allocated({ devices: [{ ...device, data: { a: 1 } }] }),
    allocated({ devices: [{ ...device, data: [1] }] }),
    allocated({
      devices: [
        {
          ...device,
          conditions: [
            { type: 'A', status: 'True', reason: 'B', message: '', lastTransitionTime: time },
          ],
        },
      ],
    }),
    allocated({ devices: [{ ...device, conditions: [{ type: 'A' }] }] }),
    allocated({
      devices: [{ ...device, networkData: { interfaceName: 'e', ips: ['10.0.0.1/8'] } }],
    }),
    allocated({ devices: [{ ...device, networkData: { ips: ['10.0.0.1'] } }] }),
    allocated({ devices: [{ ...device, networkData: { ips: ['10.0.0.1/8', '10.0.0.1/8'] } }] }),
    allocated({ devices: [{ ...device, networkData: { interfaceName: 'x'.repeat(257) } }] }),
    allocated({ devices: [{ ...device, networkData: { hardwareAddress: 'x'.repeat(129) } }] }),
    { 'metadata.labels': { a: 'b' } },
    { [`${EXACT}.count`]: 4 },
  ],
};

const template: RuleCases = {
  title: `${apiVersion} ResourceClaimTemplate`,
  collection: `${API}/namespaces/{ns}/resourceclaimtemplates`,
  base: { apiVersion, kind: 'ResourceClaimTemplate', metadata: { name: 'base' }, spec: { spec } },
  creates: [
    { spec: undefined },
    { 'spec.metadata': { labels: { a: 'b' }, annotations: { c: 'd' } } },
    { 'spec.metadata': { labels: { 'a b': 'c' } } },
    { 'spec.metadata': { labels: { a: 'b c' } } },
    { 'spec.metadata': { annotations: { 'a b': 'c' } } },
    { 'spec.metadata': { name: 'a' } },
    { 'spec.spec.devices.requests[0].name': 'A' },
    { 'spec.spec.devices.requests[0].exactly.deviceClassName': '' },
    { 'spec.spec.devices.config': [{}] },
  ],
  updates: [
    { 'spec.spec.devices.requests[0].exactly.deviceClassName': 'd' },
    { 'spec.metadata': { labels: { a: 'b' } } },
    { 'metadata.labels': { a: 'b' } },
  ],
};

const deviceClass: RuleCases = {
  title: `${apiVersion} DeviceClass`,
  collection: `${API}/deviceclasses`,
  base: { apiVersion, kind: 'DeviceClass', metadata: { name: '{ns}-base' }, spec: {} },
  creates: [
    { spec: undefined },
    { 'spec.selectors': [{ cel }] },
    { 'spec.selectors': [{}] },
    { 'spec.selectors': Array.from({ length: 33 }, () => ({ cel })) },
    ...ofConfiguration('spec.config'),
    { 'spec.config': Array.from({ length: 33 }, () => ({ opaque })) },
    { 'spec.extendedResourceName': 'example.com/gpu' },
    { 'spec.extendedResourceName': 'gpu' },
    { 'spec.extendedResourceName': '' },
    { 'spec.extendedResourceName': 'kubernetes.io/gpu' },
    { 'spec.extendedResourceName': 'requests.example.com/gpu' },
    { 'metadata.name': 'A' },
  ],
  updates: [
    { 'spec.selectors': [{ cel }] },
    { 'spec.selectors': [{}] },
    { 'spec.extendedResourceName': 'gpu' },
    { 'metadata.labels': { a: 'b' } },
  ],
};

const DEVICE = 'spec.devices[0]';
const policy = (requestPolicy: object, value = '10Gi'): Change => ({
  [`${DEVICE}.allowMultipleAllocations`]: true,
  [`${DEVICE}.capacity`]: { c: { value, requestPolicy } },
});
const attribute = (value: object): Change => ({ [`${DEVICE}.attributes`]: { a: value } });

const slice: RuleCases = {
  title: `${apiVersion} ResourceSlice`,
  collection: `${API}/resourceslices`,
  base: {
    apiVersion,
    kind: 'ResourceSlice',
    metadata: { name: '{ns}-base' },
    spec: {
      driver: 'd.example.com',
      nodeName: 'n',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd' }],
    },
  },
  creates: [
    { spec: undefined },
    { 'spec.driver': undefined },
    { 'spec.driver': 'A b' },
    { 'spec.driver': 'Driver' },
    { 'spec.pool.name': undefined },
    { 'spec.pool.name': 'a/B' },
    { 'spec.pool.name': 'a'.repeat(254) },
    { 'spec.pool.resourceSliceCount': 0 },
    { 'spec.pool.generation': -1 },
    { 'spec.nodeName': '' },
    { 'spec.nodeName': 'A' },
    { 'spec.nodeName': undefined },
    { 'spec.nodeName': undefined, 'spec.allNodes': true },
    { 'spec.nodeName': undefined, 'spec.allNodes': false },
    { 'spec.allNodes': true },
    { 'spec.perDeviceNodeSelection': false },
    { 'spec.nodeName': undefined, 'spec.nodeSelector': { nodeSelectorTerms: [] } },
    {
      'spec.nodeName': undefined,
      'spec.nodeSelector': {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
      },
    },
    { 'spec.nodeName': undefined, 'spec.nodeSelector': { nodeSelectorTerms: [{}, {}] } },
    { 'spec.devices': undefined },
    { 'spec.devices': named(128) },
    { 'spec.devices': named(129) },
    { 'spec.devices': named(65, { taints: [{ key: 'a', effect: 'None' }] }) },
    { [`${DEVICE}.name`]: undefined },
    { [`${DEVICE}.name`]: 'A' },
    { 'spec.devices[1]': { name: 'd' } },
    attribute({ int: 1 }),
    attribute({ bool: false }),
    attribute({ string: 'x'.repeat(64) }),
    attribute({ string: 'x'.repeat(65) }),
    attribute({ version: '1.2.3' }),
    attribute({ version: '1.2' }),
    attribute({ version: 'v1.2.3' }),
    attribute({ version: '1.2.3-a.1+b' }),
    attribute({}),
    attribute({ int: 1, bool: true }),
    attribute({ ints: [1] }),
    { [`${DEVICE}.attributes`]: { 'a.b/c': { int: 1 } } },
    { [`${DEVICE}.attributes`]: { 'a-b': { int: 1 } } },
    { [`${DEVICE}.attributes`]: { '/b': { int: 1 } } },
    { [`${DEVICE}.attributes`]: { 'a/': { int: 1 } } },
    { [`${DEVICE}.attributes`]: { ['a'.repeat(33)]: { int: 1 } } },
    { [`${DEVICE}.attributes`]: { [`${'a'.repeat(64)}/b`]: { int: 1 } } },
    { [`${DEVICE}.attributes`]: { [`${'a'.repeat(63)}/${'b'.repeat(32)}`]: { int: 1 } } },
    { [`${DEVICE}.attributes`]: { [`${'a'.repeat(63)}/${'b'.repeat(33)}`]: { int: 1 } } },
    { [`${DEVICE}.attributes`]: { [`${'a'.repeat(63)}/${'b'.repeat(32)}`]: {} } },
    {
      [`${DEVICE}.attributes`]: Object.fromEntries(
        Array.from({ length: 33 }, (_none, at) => [`a${at}`, { int: 1 }]),
      ),
    },
    { [`${DEVICE}.capacity`]: { memory: { value: '1Gi' } } },
    { [`${DEVICE}.capacity`]: { 'a-b': { value: '1Gi' } } },
    { [`${DEVICE}.capacity`]: { c: { value: '1Gi', requestPolicy: {} } } },
    policy({}),
    policy({ default: '1Gi' }),
    policy({ default: '1Gi', validValues: ['1Gi', '2Gi'] }),
    policy({ validValues: ['1Gi', '2Gi'] }),
    policy({ default: '3Gi', validValues: ['1Gi', '2Gi'] }),
    policy({ default: '1Gi', validValues: ['2Gi', '1Gi'] }),
    policy({ default: '1Gi', validValues: ['1Gi', '1Gi'] }),
    policy({ default: '1Gi', validValues: ['1Gi', '20Gi'] }),
    policy({
      default: '1',
      validValues: Array.from({ length: 11 }, (_none, at) => String(at + 1)),
    }),
    policy({ default: '1Gi', validValues: ['1Gi'], validRange: { min: '1Gi' } }),
    policy({ validRange: { min: '1Gi' } }),
    policy({ default: '1Gi', validRange: {} }),
    policy({ default: '1Gi', validRange: { min: '1Gi', max: '4Gi', step: '1Gi' } }),
    policy({ default: '1Gi', validRange: { min: '2Gi' } }),
    policy({ default: '20Gi', validRange: { min: '20Gi' } }),
    policy({ default: '4Gi', validRange: { min: '1Gi', max: '3Gi' } }),
    policy({ default: '4Gi', validRange: { min: '4Gi', max: '3Gi' } }),
    policy({ default: '4Gi', validRange: { min: '4Gi', max: '30Gi' } }),
    policy({ default: '4Gi', validRange: { min: '4Gi', step: '8Gi' } }),
    policy({ default: '5Gi', validRange: { min: '4Gi', step: '2Gi' } }),
    policy({ default: '4Gi', validRange: { min: '4Gi', max: '7Gi', step: '2Gi' } }),
    { [`${DEVICE}.taints`]: [{ key: 'a', effect: 'NoSchedule' }] },
    { [`${DEVICE}.taints`]: [{ key: 'a', value: 'b c', effect: 'NoSchedule' }] },
    { [`${DEVICE}.taints`]: [{ key: 'a' }] },
    { [`${DEVICE}.taints`]: [{ effect: 'NoExecute' }] },
    { [`${DEVICE}.taints`]: [{ key: 'a', effect: 'Other' }] },
    { [`${DEVICE}.taints`]: Array.from({ length: 17 }, () => ({ key: 'a', effect: 'None' })) },
    { [`${DEVICE}.nodeName`]: 'n' },
    { [`${DEVICE}.bindingConditions`]: ['a'] },
    { [`${DEVICE}.bindsToNode`]: true },
    { [`${DEVICE}.consumesCounters`]: [{ counterSet: 's', counters: { c: { value: '1' } } }] },
    { [`${DEVICE}.consumesCounters`]: [{ counters: { c: { value: '1' } } }] },
    { [`${DEVICE}.consumesCounters`]: [{ counterSet: 'S', counters: { c: { value: '1' } } }] },
    { [`${DEVICE}.consumesCounters`]: [{ counterSet: 's' }] },
    { [`${DEVICE}.consumesCounters`]: [{ counterSet: 's', counters: { C: { value: '1' } } }] },
    {
      [`${DEVICE}.consumesCounters`]: ['a', 'b', 'c'].map((counterSet) => ({
        counterSet,
        counters: { c: { value: '1' } },
      })),
    },
    { 'spec.sharedCounters': [{ name: 's', counters: { c: { value: '1' } } }] },
    ...[
      [{ name: 's', counters: { c: { value: '1' } } }],
      [{ counters: { c: { value: '1' } } }],
      [{ name: 'S', counters: { c: { value: '1' } } }],
      [{ name: 's' }],
      [{ name: 's', counters: { 'c d': { value: '1' } } }],
      [1, 2].map(() => ({ name: 's', counters: { c: { value: '1' } } })),
      named(9, { counters: { c: { value: '1' } } }),
      [
        {
          name: 's',
          counters: Object.fromEntries(
            Array.from({ length: 33 }, (_none, at) => [`c${at}`, { value: '1' }]),
          ),
        },
      ],
    ].map((sharedCounters) => ({
      'spec.devices': undefined,
      'spec.sharedCounters': sharedCounters,
    })),
    ...[
      { name: 'd' },
      { name: 'd', nodeName: 'n' },
      { name: 'd', nodeName: '' },
      { name: 'd', nodeName: 'N' },
      { name: 'd', allNodes: false },
      { name: 'd', nodeName: 'n', allNodes: true },
      { name: 'd', nodeSelector: { nodeSelectorTerms: [] } },
    ].map((one) => ({
      'spec.nodeName': undefined,
      'spec.perDeviceNodeSelection': true,
      'spec.devices': [one],
    })),
  ],
  updates: [
    { 'spec.driver': 'other' },
    { 'spec.pool.name': 'other' },
    { 'spec.nodeName': 'other' },
    { 'spec.pool.generation': 2 },
    { 'spec.devices': [] },
    { 'metadata.labels': { a: 'b' } },
  ],
};

export const cases: readonly RuleCases[] = [claim, claimStatus, template, deviceClass, slice];
