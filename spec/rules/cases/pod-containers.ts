import type { Change } from '../change.ts';
import type { RuleCases } from '../rule-cases.ts';

const collection = '/api/v1/namespaces/{ns}/pods';
const container = { name: 'a', image: 'i' };
const base = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'base' },
  spec: { containers: [container] },
};

const FIRST = 'spec.containers[0]';
const INIT = 'spec.initContainers';
const set = (member: string, value: unknown, more: Change = {}): Change => ({
  [`${FIRST}.${member}`]: value,
  ...more,
});
const init = (more: object, changes: Change = {}): Change => ({
  [INIT]: [{ name: 'b', image: 'i', ...more }],
  ...changes,
});
const sidecar = (more: object): Change => init({ restartPolicy: 'Always', ...more });
const variable = (more: object): Change => set('env', [{ name: 'A', ...more }]);
const from = (more: object): Change => variable({ valueFrom: more });
const port = (...list: readonly object[]): Change =>
  set(
    'ports',
    list.map((one) => ({ containerPort: 1, ...one })),
  );
const probe = (more: object, kind = 'livenessProbe'): Change =>
  set(kind, { exec: { command: ['x'] }, ...more });
const http = (more: object): Change => set('livenessProbe', { httpGet: { port: 80, ...more } });
const hook = (more: object): Change => set('lifecycle', { preStop: more });
const limits = (more: object): Change => set('resources', { limits: more });
const requests = (more: object): Change => set('resources', { requests: more });
const both = (one: object, other: object): Change =>
  set('resources', { limits: one, requests: other });
const context = (more: object): Change => set('securityContext', more);
const windows = (runAsUserName: string): Change => context({ windowsOptions: { runAsUserName } });
const volumes = {
  'spec.volumes': [{ name: 'v' }, { name: 'p', persistentVolumeClaim: { claimName: 'c' } }],
};
const mount = (...list: readonly object[]): Change =>
  set(
    'volumeMounts',
    list.map((one) => ({ name: 'v', mountPath: '/a', ...one })),
    volumes,
  );
const device = (...list: readonly object[]): Change =>
  set(
    'volumeDevices',
    list.map((one) => ({ name: 'p', devicePath: '/d', ...one })),
    volumes,
  );
const claims = (list: readonly object[], pod: readonly object[] = []): Change =>
  set('resources', { claims: list }, { 'spec.resourceClaims': pod });
const rule = (more: object): Change =>
  set(
    'restartPolicyRules',
    [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] }, ...more }],
    {
      [`${FIRST}.restartPolicy`]: 'Never',
    },
  );
const resize = (...list: readonly object[]): Change => set('resizePolicy', list);

const common: readonly Change[] = [
  { 'spec.containers': undefined },
  { 'spec.containers': [] },
  set('name', undefined),
  set('name', 'Upper'),
  set('name', 'a'.repeat(64)),
  set('name', 'a'.repeat(63)),
  set('image', undefined),
  set('image', ' i'),
  set('image', ' '),
  { 'spec.containers[-]': container },
  set('terminationMessagePolicy', 'Wrong'),
  set('terminationMessagePolicy', 'FallbackToLogsOnError'),
  set('imagePullPolicy', 'Wrong'),
  set('imagePullPolicy', 'Never'),
  set('image', 'r:5000/i:latest'),
  set('image', 'i@sha256:0123456789012345678901234567890123456789012345678901234567890123'),
  set('image', 'i:1'),
  set('restartPolicy', 'Wrong'),
  set('restartPolicy', 'Never'),
  set('restartPolicyRules', [{ action: 'Restart' }]),
  rule({}),
  rule({ action: 'Wrong' }),
  rule({ action: 'RestartAllContainers' }),
  rule({ exitCodes: undefined }),
  rule({ exitCodes: { operator: 'Wrong', values: [1] } }),
  rule({ exitCodes: { operator: 'NotIn', values: Array.from({ length: 256 }, (_, one) => one) } }),
  set(
    'restartPolicyRules',
    Array.from({ length: 21 }, () => ({
      action: 'Restart',
      exitCodes: { operator: 'In', values: [1] },
    })),
    { [`${FIRST}.restartPolicy`]: 'Never' },
  ),
  resize({ resourceName: 'cpu', restartPolicy: 'NotRequired' }),
  resize({ resourceName: 'cpu', restartPolicy: 'Wrong' }),
  resize({ resourceName: 'cpu', restartPolicy: '' }),
  resize({ resourceName: 'disk', restartPolicy: 'NotRequired' }),
  resize({ resourceName: '', restartPolicy: 'NotRequired' }),
  resize(
    { resourceName: 'cpu', restartPolicy: 'NotRequired' },
    { resourceName: 'cpu', restartPolicy: 'NotRequired' },
  ),
  {
    ...resize({ resourceName: 'cpu', restartPolicy: 'RestartContainer' }),
    'spec.restartPolicy': 'Never',
  },
  set('lifecycle', { stopSignal: 'SIGTERM' }),
  set('lifecycle', { stopSignal: 'SIGTERM', preStop: { sleep: { seconds: 1 } } }),
];

const ports: readonly Change[] = [
  port({}),
  port({ containerPort: 0 }),
  port({ containerPort: undefined }),
  port({ containerPort: 65_536 }),
  port({ containerPort: -1 }),
  port({ hostPort: 65_536 }),
  port({ hostPort: -1 }),
  port({ protocol: 'Wrong' }),
  port({ protocol: 'udp' }),
  port({ protocol: 'SCTP' }),
  port({ name: 'Upper' }),
  port({ name: 'a'.repeat(16) }),
  port({ name: '-a--' }),
  port({ name: '1' }),
  port({ name: 'n' }, { name: 'n', containerPort: 2 }),
  port({ hostPort: 5 }, { hostPort: 5 }),
  port({ hostPort: 5 }, { hostPort: 5, containerPort: 2 }),
  port({ hostPort: 5, hostIP: '1.2.3.4' }, { hostPort: 5 }),
  port({}, {}),
  port({}, { hostPort: 7 }),
  port({ hostIP: '1.2.3.4' }),
  port({}, { protocol: 'UDP' }),
  { ...port({ hostPort: 5 }), ...init({ ports: [{ containerPort: 1, hostPort: 5 }] }) },
  init({
    ports: [
      { containerPort: 1, hostPort: 5 },
      { containerPort: 2, hostPort: 5 },
    ],
  }),
  { ...port({ name: 'n' }), ...sidecar({ ports: [{ containerPort: 2, name: 'n' }] }) },
  { ...port({ hostPort: 5 }), 'spec.hostNetwork': true },
  { ...port({}), 'spec.hostNetwork': true },
  { ...port({ hostPort: 1 }), 'spec.hostNetwork': true },
];

const environment: readonly Change[] = [
  variable({ name: '' }),
  variable({ name: 'A=B' }),
  variable({ name: 'ä' }),
  variable({ name: '1 a/b' }),
  variable({ value: 'x' }),
  set('env', [
    { name: 'A', value: 'x' },
    { name: 'A', value: 'y' },
  ]),
  set('env', [
    { name: 'A', value: 'x' },
    { name: 'A', value: '$(A)y' },
  ]),
  set('env', [
    { name: 'A', value: 'x' },
    { name: 'A', value: '$(A)' },
  ]),
  from({}),
  from({ fieldRef: { fieldPath: 'metadata.name' } }),
  from({ fieldRef: { fieldPath: 'metadata.labels' } }),
  from({ fieldRef: { fieldPath: "metadata.labels['a']" } }),
  from({ fieldRef: { fieldPath: 'status.phase' } }),
  from({ fieldRef: { fieldPath: 'wrong' } }),
  from({ fieldRef: { fieldPath: '', apiVersion: 'v1' } }),
  from({ resourceFieldRef: { resource: 'limits.cpu' } }),
  from({ resourceFieldRef: { resource: '' } }),
  from({ resourceFieldRef: { resource: 'limits.cpu', divisor: '3' } }),
  from({ configMapKeyRef: { name: '', key: 'k' } }),
  from({ configMapKeyRef: { name: 'a_b', key: 'k' } }),
  from({ configMapKeyRef: { name: 'a', key: '' } }),
  from({ configMapKeyRef: { name: 'a', key: 'a b' } }),
  from({ configMapKeyRef: { name: 'a', key: '..a' } }),
  from({ secretKeyRef: { name: 'a', key: 'a b' } }),
  from({ fileKeyRef: { path: 'p', volumeName: 'v', key: 'k' } }),
  { ...from({ fileKeyRef: { path: 'p', volumeName: 'v', key: 'k' } }), ...volumes },
  { ...from({ fileKeyRef: { path: 'p', volumeName: 'p', key: 'k' } }), ...volumes },
  { ...from({ fileKeyRef: { path: '../p', volumeName: 'v', key: 'k=' } }), ...volumes },
  { ...from({ fileKeyRef: { path: '', volumeName: 'Upper', key: '' } }), ...volumes },
  from({ fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 'a', key: 'k' } }),
  variable({ value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
  variable({ value: 'x', valueFrom: {} }),
  set('envFrom', [{}]),
  set('envFrom', [{ prefix: 'a=', secretRef: { name: 's' } }]),
  set('envFrom', [{ prefix: '1a', secretRef: { name: 's' } }]),
  set('envFrom', [{ secretRef: {} }]),
  set('envFrom', [{ secretRef: { name: 'a_b' } }]),
  set('envFrom', [{ configMapRef: { name: 'a-' } }]),
  set('envFrom', [{ configMapRef: { name: '-' } }]),
  set('envFrom', [{ configMapRef: { name: 'a' }, secretRef: { name: 'b' } }]),
];

const handlers: readonly Change[] = [
  probe({}),
  probe({}, 'readinessProbe'),
  probe({}, 'startupProbe'),
  set('livenessProbe', {}),
  set('livenessProbe', { exec: {} }),
  probe({ tcpSocket: { port: 1 } }),
  probe({ initialDelaySeconds: -1 }),
  probe({ timeoutSeconds: -1 }),
  probe({ periodSeconds: -1 }),
  probe({ failureThreshold: -1 }),
  probe({ successThreshold: -1 }),
  probe({ successThreshold: 2 }),
  probe({ successThreshold: 2 }, 'startupProbe'),
  probe({ successThreshold: 2 }, 'readinessProbe'),
  probe({ terminationGracePeriodSeconds: 0 }),
  probe({ terminationGracePeriodSeconds: 1 }),
  probe({ terminationGracePeriodSeconds: 1 }, 'readinessProbe'),
  http({}),
  http({ port: 0 }),
  http({ port: 65_536 }),
  http({ port: 'http' }),
  http({ port: 'Not A Port' }),
  http({ port: '' }),
  http({ scheme: 'http' }),
  http({ scheme: 'HTTPS', path: '/x', host: 'h' }),
  http({ httpHeaders: [{ name: 'A b', value: 'c' }] }),
  http({ httpHeaders: [{ name: '', value: 'c' }] }),
  http({ httpHeaders: [{ name: 'X-A', value: 'c' }] }),
  set('livenessProbe', { tcpSocket: { port: 0 } }),
  set('livenessProbe', { grpc: { port: 0 } }),
  set('livenessProbe', { grpc: { port: 1 } }),
  hook({}),
  hook({ exec: {} }),
  hook({ exec: { command: ['x'] } }),
  hook({ exec: { command: ['x'] }, httpGet: { port: 1 } }),
  hook({ httpGet: { port: 1 } }),
  hook({ sleep: { seconds: 31 } }),
  hook({ sleep: { seconds: 30 } }),
  hook({ sleep: { seconds: 0 } }),
  hook({ sleep: { seconds: -1 } }),
  set('lifecycle', { postStart: { tcpSocket: { port: 'A' } } }),
];

const mounts: readonly Change[] = [
  mount({}),
  mount({ name: 'none' }),
  mount({ name: '' }),
  mount({ mountPath: '' }),
  mount({}, {}),
  mount({}, { mountPath: '/b' }),
  mount({ subPath: '/a' }),
  mount({ subPath: 'a/..' }),
  mount({ subPath: 'a' }),
  mount({ subPathExpr: '/a' }),
  mount({ subPathExpr: '$(A)', subPath: 'a' }),
  mount({ mountPropagation: 'Wrong' }),
  mount({ mountPropagation: 'Bidirectional' }),
  mount({ mountPropagation: 'HostToContainer' }),
  mount({ recursiveReadOnly: 'Wrong' }),
  mount({ recursiveReadOnly: 'Enabled' }),
  mount({ recursiveReadOnly: 'Enabled', readOnly: true }),
  mount({ recursiveReadOnly: 'Enabled', readOnly: true, mountPropagation: 'HostToContainer' }),
  mount({ recursiveReadOnly: 'Disabled' }),
  device({}),
  device({ name: '' }),
  device({ name: 'v' }),
  device({ name: 'none' }),
  device({ devicePath: '' }),
  device({ devicePath: '/a/../b' }),
  device({}, {}),
  device({}, { devicePath: '/e' }),
  { ...device({}), ...mount({ name: 'p', mountPath: '/d' }) },
  { ...device({}), ...mount({ mountPath: '/d' }) },
  { ...device({}), 'spec.hostUsers': false },
];

const resources: readonly Change[] = [
  limits({ cpu: '1', memory: '1Gi' }),
  limits({ cpu: '1500m', memory: '1024Mi' }),
  limits({ cpu: '-1' }),
  limits({ wrong: '1' }),
  limits({ pods: '1' }),
  limits({ 'a b': '1' }),
  limits({ storage: '1' }),
  limits({ 'example.com/gpu': '1' }),
  limits({ 'example.com/gpu': '1500m' }),
  limits({ 'requests.example.com/gpu': '1' }),
  limits({ 'kubernetes.io/x': '1' }),
  limits({ 'x.kubernetes.io/x': '1' }),
  requests({ 'example.com/gpu': '1' }),
  both({ 'example.com/gpu': '1' }, { 'example.com/gpu': '2' }),
  both({ cpu: '1' }, { cpu: '2' }),
  both({ memory: '1Gi' }, { memory: '1025Mi' }),
  both({ cpu: '2' }, { cpu: '1' }),
  requests({ cpu: '1' }),
  requests({ memory: '1500m' }),
  limits({ memory: '1500m' }),
  requests({ 'ephemeral-storage': '100m' }),
  limits({ 'hugepages-2Mi': '2Mi' }),
  limits({ 'hugepages-2Mi': '2Mi', cpu: '1' }),
  limits({ 'hugepages-2Mi': '3Mi', cpu: '1' }),
  limits({ 'hugepages-x': '2Mi', cpu: '1' }),
  both({ 'hugepages-2Mi': '2Mi', cpu: '1' }, { 'hugepages-2Mi': '4Mi' }),
  requests({ 'hugepages-2Mi': '2Mi', cpu: '1' }),
  limits({ cpu: '0' }),
  claims([{ name: 'c' }]),
  claims([{ name: 'c' }], [{ name: 'd', resourceClaimName: 'x' }]),
  claims([{ name: 'c' }], [{ name: 'c', resourceClaimName: 'x' }]),
  claims([{ name: 'c' }, { name: 'c' }], [{ name: 'c', resourceClaimName: 'x' }]),
  claims([{ name: 'c', request: 'r' }, { name: 'c' }], [{ name: 'c', resourceClaimName: 'x' }]),
  claims(
    [
      { name: 'c', request: 'r' },
      { name: 'c', request: 'r' },
    ],
    [{ name: 'c', resourceClaimName: 'x' }],
  ),
  claims([{ name: 'c', request: 'R' }], [{ name: 'c', resourceClaimName: 'x' }]),
  claims([{ name: '' }], [{ name: 'c', resourceClaimName: 'x' }]),
];

const security: readonly Change[] = [
  context({}),
  context({ runAsUser: -1 }),
  context({ runAsUser: 2 ** 31 }),
  context({ runAsUser: 2 ** 31 - 1 }),
  context({ runAsGroup: -1 }),
  context({ procMount: 'Wrong' }),
  context({ procMount: 'Unmasked' }),
  context({ procMount: 'Default' }),
  { ...context({ procMount: 'Unmasked' }), 'spec.hostUsers': false },
  context({ seccompProfile: {} }),
  context({ seccompProfile: { type: 'Wrong' } }),
  context({ seccompProfile: { type: 'Localhost' } }),
  context({ seccompProfile: { type: 'Localhost', localhostProfile: '/a' } }),
  context({ seccompProfile: { type: 'Localhost', localhostProfile: '../a' } }),
  context({ seccompProfile: { type: 'Localhost', localhostProfile: 'a' } }),
  context({ seccompProfile: { type: 'Unconfined', localhostProfile: 'a' } }),
  context({ allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } }),
  context({ allowPrivilegeEscalation: false, capabilities: { add: ['SYS_ADMIN'] } }),
  context({ appArmorProfile: { type: '' } }),
  context({ appArmorProfile: { type: 'Wrong' } }),
  context({ appArmorProfile: { type: 'Localhost' } }),
  context({ appArmorProfile: { type: 'Localhost', localhostProfile: '' } }),
  context({ appArmorProfile: { type: 'Localhost', localhostProfile: ' a' } }),
  context({ appArmorProfile: { type: 'Localhost', localhostProfile: ' ' } }),
  context({ appArmorProfile: { type: 'Localhost', localhostProfile: 'a'.repeat(4096) } }),
  context({ appArmorProfile: { type: 'Unconfined', localhostProfile: 'a' } }),
  context({ appArmorProfile: { type: 'RuntimeDefault' } }),
  context({ windowsOptions: { gmsaCredentialSpecName: 'a_b' } }),
  context({ windowsOptions: { gmsaCredentialSpec: '' } }),
  context({ windowsOptions: { gmsaCredentialSpec: 'x'.repeat(65_537) } }),
  windows(''),
  windows('a'),
  windows('a\tb'),
  windows('a\\b\\c'),
  windows('d'.repeat(256) + '\\a'),
  windows('do*main\\a'),
  windows('dom.ain\\a'),
  windows('d\\'),
  windows('u'.repeat(105)),
  windows('u'.repeat(104)),
  windows(' . '),
  windows('a@b'),
];

const initial: readonly Change[] = [
  init({}),
  init({ name: 'a' }),
  init({ name: '' }),
  {
    [INIT]: [
      { name: 'b', image: 'i' },
      { name: 'b', image: 'i' },
    ],
  },
  init({ image: ' i ' }),
  init({ lifecycle: {} }),
  init({ livenessProbe: { exec: { command: ['x'] } } }),
  init({ readinessProbe: { exec: { command: ['x'] } } }),
  init({ startupProbe: {} }),
  init({ restartPolicy: 'Wrong' }),
  init({ restartPolicy: 'Never' }),
  init({ restartPolicyRules: [{ action: 'Wrong' }] }),
  init({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
  init({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
  sidecar({}),
  sidecar({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
  sidecar({ livenessProbe: {} }),
  sidecar({ readinessProbe: { exec: { command: ['x'] } } }),
  sidecar({ lifecycle: { preStop: {} } }),
  sidecar({ restartPolicyRules: [{ action: 'Wrong', exitCodes: { operator: 'In', values: [] } }] }),
  init({ resources: { limits: { cpu: '1' } } }),
  { 'spec.ephemeralContainers': [{ name: 'e', image: 'i' }] },
  { 'spec.ephemeralContainers': [{ name: 'a', image: ' i', ports: [{ containerPort: 1 }] }] },
];

export const cases: readonly RuleCases[] = [
  { title: 'v1 Pod, containers', collection, base, creates: [...common, ...initial] },
  { title: 'v1 Pod, ports and variables', collection, base, creates: [...ports, ...environment] },
  { title: 'v1 Pod, probes and mounts', collection, base, creates: [...handlers, ...mounts] },
  {
    title: 'v1 Pod, resources and security contexts',
    collection,
    base,
    creates: [
      ...resources,
      ...security,
      context({ privileged: true }),
      context({ privileged: true, allowPrivilegeEscalation: false }),
    ],
  },
];
