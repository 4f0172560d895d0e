import type { RuleCases } from '../rule-cases.ts';

const collection = '/api/v1/namespaces/{ns}/pods';
const pod = (spec: object, metadata: object = {}): Readonly<Record<string, unknown>> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'base', ...metadata },
  spec,
});
const LIST = 'spec.ephemeralContainers';
const add = (more: object): Readonly<Record<string, unknown>> => ({
  [LIST]: [{ name: 'e', image: 'i', ...more }],
});
const A = 'spec.containers[0].resources';
const B = 'spec.initContainers[0]';
const MIRROR = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
const half = { cpu: '500m', memory: '1Gi' };
const container = (name: string, more: object = {}): object => ({ name, image: 'i', ...more });

const ofUser = (name: string, user: object): object => ({
  name,
  image: 'i',
  imageID: 'i',
  ready: false,
  restartCount: 0,
  user,
});

export const cases: readonly RuleCases[] = [
  {
    title: 'v1 Pod, ephemeral containers',
    collection,
    base: pod({
      initContainers: [container('b')],
      containers: [container('a')],
      volumes: [{ name: 'v', emptyDir: {} }],
    }),
    subresource: 'ephemeralcontainers',
    statuses: [
      add({}),
      add({ name: 'a' }),
      add({ name: 'b' }),
      add({ name: '' }),
      add({ name: 'E' }),
      add({ image: '' }),
      add({ image: ' i' }),
      add({ targetContainerName: 'a' }),
      add({ targetContainerName: 'z' }),
      add({ targetContainerName: 'e' }),
      add({ ports: [{ containerPort: 1 }] }),
      add({ resources: { requests: { cpu: '1' } } }),
      add({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
      add({ restartPolicy: 'Always' }),
      add({ livenessProbe: { exec: { command: ['x'] } } }),
      add({ readinessProbe: { exec: { command: ['x'] } } }),
      add({ startupProbe: { exec: { command: ['x'] } } }),
      add({ lifecycle: { preStop: { exec: { command: ['x'] } } } }),
      add({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      add({ volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 's' }] }),
      add({ volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: 's' }] }),
      add({ volumeMounts: [{ name: 'w', mountPath: '/v' }] }),
      add({ env: [{ name: 'A', value: 'b' }], stdin: true, tty: true }),
      add({ securityContext: { runAsUser: -1 } }),
      { [LIST]: [container('e'), container('e')] },
      { ...add({}), 'spec.containers[0].image': 'j' },
      { ...add({}), 'metadata.labels': { a: 'b' } },
      { 'spec.hostname': 'h' },
    ],
  },
  {
    title: 'v1 Pod, static',
    collection,
    base: pod({ nodeName: 'n', containers: [container('a')] }, MIRROR),
    updates: [{ 'metadata.annotations': undefined }],
    subresource: 'resize',
    statuses: [{ [`${A}.requests`]: { cpu: '1' } }],
  },
  {
    title: 'v1 Pod, for Windows',
    collection,
    base: pod({ os: { name: 'windows' }, containers: [container('a')] }),
    creates: ['hostPID', 'hostIPC', 'hostNetwork', 'shareProcessNamespace', 'hostUsers'].flatMap(
      (field) => [{ [`spec.${field}`]: false }, { [`spec.${field}`]: true }],
    ),
    statuses: [
      { 'status.containerStatuses': [ofUser('a', { linux: { uid: 1, gid: 1 } })] },
      { 'status.containerStatuses': [ofUser('a', {})] },
    ],
  },
  {
    title: 'v1 Pod, static, ephemeral containers',
    collection,
    base: pod({ nodeName: 'n', containers: [container('a')] }, MIRROR),
    subresource: 'ephemeralcontainers',
    statuses: [add({})],
  },
  {
    title: 'v1 Pod, resized',
    collection,
    base: pod({
      initContainers: [
        container('b', { restartPolicy: 'Always', resources: { requests: half, limits: half } }),
        container('c', { resources: { requests: half, limits: half } }),
      ],
      containers: [
        container('a', { resources: { requests: half, limits: { cpu: '1', memory: '1Gi' } } }),
        container('d'),
      ],
    }),
    subresource: 'resize',
    statuses: [
      { [`${A}.requests.cpu`]: '600m' },
      { [`${A}.requests.cpu`]: '2' },
      { [`${A}.requests.cpu`]: '-1' },
      { [`${A}.requests.memory`]: '2Gi', [`${A}.limits.memory`]: '2Gi' },
      { [`${A}.requests.cpu`]: undefined },
      { [`${A}.limits.cpu`]: undefined },
      { [`${A}.limits`]: undefined },
      { [A]: undefined },
      { [`${A}.requests.ephemeral-storage`]: '1Gi' },
      { [`${A}.requests["example.com/gpu"]`]: '1', [`${A}.limits["example.com/gpu"]`]: '1' },
      {
        'spec.containers[0].resizePolicy': [
          { resourceName: 'cpu', restartPolicy: 'RestartContainer' },
        ],
      },
      { 'spec.containers[0].image': 'j' },
      { 'spec.containers[0].name': 'z' },
      { 'spec.containers[-]': container('z') },
      { 'spec.containers[1]': undefined },
      { 'spec.containers[1].resources': { requests: { cpu: '1' } } },
      { [`${B}.resources.requests.cpu`]: '400m' },
      { [`${B}.resources.requests["ephemeral-storage"]`]: '1Gi' },
      { [`${B}.resources.limits`]: undefined },
      { 'spec.initContainers[1].resources.requests.cpu': '400m' },
      { 'spec.initContainers[1].resources.requests.cpu': undefined },
      { 'spec.initContainers[1]': undefined },
      { 'spec.resources': { limits: { cpu: '8' } } },
      { 'spec.resources': { limits: { cpu: '1' } } },
      { 'metadata.labels': { a: 'b' } },
    ],
  },
  {
    title: 'v1 Pod, guaranteed',
    collection,
    base: pod({
      containers: [container('a', { resources: { requests: half, limits: half } })],
      resources: { requests: { cpu: '1', memory: '2Gi' }, limits: { cpu: '1', memory: '2Gi' } },
    }),
    updates: [{ [`${A}.limits.cpu`]: '600m' }, { 'spec.resources.limits.cpu': '2' }],
    subresource: 'resize',
    statuses: [
      { [`${A}.limits.cpu`]: '600m' },
      { 'spec.resources.limits.cpu': '2' },
      { 'spec.resources.limits.cpu': '2', 'spec.resources.requests.cpu': '2' },
      { 'spec.resources.requests.cpu': undefined },
      { 'spec.resources': undefined },
      {
        'spec.resources.requests["hugepages-2Mi"]': '2Mi',
        'spec.resources.limits["hugepages-2Mi"]': '2Mi',
      },
    ],
  },
  {
    title: 'v1 Pod, of Windows',
    collection,
    base: pod({ os: { name: 'windows' }, containers: [container('a')] }),
    subresource: 'resize',
    statuses: [{ [`${A}.requests`]: { cpu: '1' } }],
  },
];
