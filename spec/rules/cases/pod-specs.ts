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

const set = (member: string, value: unknown, more: Change = {}): Change => ({
  [`spec.${member}`]: value,
  ...more,
});
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const node = (expression: object): Change =>
  set(`affinity.nodeAffinity.${REQUIRED}`, {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', ...expression }] }],
  });
const nodeField = (expression: object): Change =>
  set(`affinity.nodeAffinity.${REQUIRED}`, {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', ...expression }] }],
  });
const preferred = (more: object): Change =>
  set(`affinity.nodeAffinity.${PREFERRED}`, [{ weight: 1, preference: {}, ...more }]);
const labels = { matchLabels: { a: 'b' } };
const near = (more: object, kind = 'podAffinity'): Change =>
  set(`affinity.${kind}.${REQUIRED}`, [{ topologyKey: 'k', labelSelector: labels, ...more }]);
const rather = (more: object): Change =>
  set(`affinity.podAntiAffinity.${PREFERRED}`, [
    { weight: 1, podAffinityTerm: { topologyKey: 'k', labelSelector: labels }, ...more },
  ]);
const tolerate = (more: object): Change => set('tolerations', [{ key: 'k', ...more }]);
const spread = (...list: readonly object[]): Change =>
  set(
    'topologySpreadConstraints',
    list.map((one) => ({
      maxSkew: 1,
      topologyKey: 'k',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: labels,
      ...one,
    })),
  );
const dns = (more: object, dnsPolicy = 'ClusterFirst'): Change =>
  set('dnsConfig', more, { 'spec.dnsPolicy': dnsPolicy });
const context = (more: object, changes: Change = {}): Change =>
  set('securityContext', more, changes);
const sysctl = (name: string, more: Change = {}): Change =>
  context({ sysctls: [{ name, value: '1' }] }, more);
const annotated = (key: string, value: string, more: Change = {}): Change => ({
  'metadata.annotations': { [key]: value },
  ...more,
});
const claims = (...list: readonly object[]): Change => set('resourceClaims', list);
const whole = (more: object, own: object = {}): Change =>
  set('resources', more, { 'spec.containers[0].resources': own });
const windows = (more: Change): Change => set('os', { name: 'windows' }, more);
const hostProcess = { windowsOptions: { hostProcess: true } };
const FIRST = 'spec.containers[0]';

const placement: readonly Change[] = [
  set('nodeSelector', { 'a b': 'c' }),
  set('nodeSelector', { a: 'b c' }),
  set('nodeSelector', { 'beta.kubernetes.io/arch': 'x' }),
  set(`affinity.nodeAffinity.${REQUIRED}`, { nodeSelectorTerms: [] }),
  set(`affinity.nodeAffinity.${REQUIRED}`, { nodeSelectorTerms: [{}] }),
  node({ operator: 'In' }),
  node({ operator: 'In', values: ['a'] }),
  node({ operator: 'In', values: ['a b'] }),
  node({ operator: 'Exists', values: ['a'] }),
  node({ operator: 'DoesNotExist' }),
  node({ operator: 'Gt', values: [] }),
  node({ operator: 'Lt', values: ['1', '2'] }),
  node({ operator: 'Gt', values: ['1'] }),
  node({ operator: 'Wrong' }),
  node({ operator: '' }),
  node({ operator: 'Exists', key: 'a b' }),
  node({ operator: 'Exists', key: '' }),
  node({ operator: 'Exists', key: 'beta.kubernetes.io/os' }),
  nodeField({ operator: 'In', values: ['n'] }),
  nodeField({ operator: 'In', values: ['n', 'm'] }),
  nodeField({ operator: 'In', values: ['A_b'] }),
  nodeField({ operator: 'Exists' }),
  nodeField({ operator: 'NotIn', values: ['n'], key: 'metadata.uid' }),
  preferred({}),
  preferred({ weight: 0 }),
  preferred({ weight: 101 }),
  preferred({ weight: undefined }),
  preferred({ preference: { matchExpressions: [{ key: 'k', operator: 'In', values: ['a b'] }] } }),
  preferred({ preference: { matchExpressions: [{ key: 'a b', operator: 'Exists' }] } }),
  near({}),
  near({ labelSelector: undefined }),
  near({ topologyKey: '' }),
  near({ topologyKey: 'a b' }, 'podAntiAffinity'),
  near({ namespaces: ['A'] }),
  near({ namespaceSelector: { matchLabels: { 'a b': 'c' } } }),
  near({ labelSelector: { matchExpressions: [{ key: 'k', operator: 'Wrong' }] } }),
  near({ labelSelector: { matchExpressions: [{ key: 'k', operator: 'In', values: ['a b'] }] } }),
  near({ labelSelector: { matchExpressions: [{ key: 'k', operator: 'In' }] } }),
  near({ matchLabelKeys: ['a b'] }),
  near({ matchLabelKeys: ['x'], labelSelector: undefined }),
  near({ matchLabelKeys: ['x'], mismatchLabelKeys: ['x'] }),
  {
    ...near({ matchLabelKeys: ['x'], mismatchLabelKeys: ['y'] }),
    'metadata.labels': { x: '1', y: '2' },
  },
  { ...near({ matchLabelKeys: ['a'] }), 'metadata.labels': { a: '1' } },
  rather({}),
  rather({ weight: 0 }),
  rather({ weight: 101 }),
  rather({ podAffinityTerm: { topologyKey: '' } }),
  tolerate({ operator: 'Exists' }),
  tolerate({ key: 'a b', operator: 'Exists' }),
  tolerate({ key: '', operator: 'Equal' }),
  tolerate({ key: '', operator: 'Exists' }),
  tolerate({ operator: 'Exists', value: 'v' }),
  tolerate({ operator: 'Equal', value: 'a b' }),
  tolerate({ value: 'v' }),
  tolerate({ operator: 'Wrong' }),
  tolerate({ operator: 'Gt', value: '1' }),
  tolerate({ operator: 'Exists', effect: 'Wrong' }),
  tolerate({ operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 1 }),
  tolerate({ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -1 }),
  spread({}),
  spread({ maxSkew: 0 }),
  spread({ maxSkew: -1 }),
  spread({ topologyKey: '' }),
  spread({ topologyKey: 'a b' }),
  spread({ topologyKey: 'failure-domain.beta.kubernetes.io/zone' }),
  spread({ whenUnsatisfiable: 'Wrong' }),
  spread({ whenUnsatisfiable: undefined }),
  spread({}, {}),
  spread({}, { whenUnsatisfiable: 'ScheduleAnyway' }),
  spread({ minDomains: 0 }),
  spread({ minDomains: 2, whenUnsatisfiable: 'ScheduleAnyway' }),
  spread({ nodeAffinityPolicy: 'Wrong' }),
  spread({ nodeTaintsPolicy: 'Wrong' }),
  spread({ nodeTaintsPolicy: 'Honor' }),
  spread({ matchLabelKeys: ['a b'] }),
  spread({ matchLabelKeys: ['x'], labelSelector: undefined }),
  { ...spread({ matchLabelKeys: ['x'] }), 'metadata.labels': { x: '1' } },
  { ...spread({ matchLabelKeys: ['a'] }), 'metadata.labels': { a: '1' } },
  spread({ labelSelector: undefined }),
  spread({ labelSelector: { matchLabels: { a: 'b c' } } }),
];

const names: readonly Change[] = [
  set('restartPolicy', 'Wrong'),
  set('restartPolicy', 'Never'),
  set('dnsPolicy', 'Wrong'),
  set('dnsPolicy', 'None'),
  dns({}, 'None'),
  dns({ nameservers: ['1.2.3.4'] }, 'None'),
  dns({ nameservers: ['1.2.3.4', '1.2.3.5', '1.2.3.6', '1.2.3.7'] }),
  dns({ nameservers: ['x'] }),
  dns({ nameservers: ['01.2.3.4'] }),
  dns({ nameservers: ['::ffff:1.2.3.4'] }),
  dns({ nameservers: ['FE80::0abc'] }),
  dns({ searches: ['a_b', '.', 'a.'] }),
  dns({ searches: ['a b'] }),
  dns({ searches: Array.from({ length: 33 }, (_, one) => `a${one}`) }),
  dns({ searches: Array.from({ length: 9 }, () => 'a'.repeat(240)) }),
  dns({ options: [{ value: 'x' }] }),
  set('serviceAccountName', 'a_b'),
  set('serviceAccount', 'x'),
  set('nodeName', 'a_b'),
  set('nodeName', 'n'),
  set('activeDeadlineSeconds', 0),
  set('activeDeadlineSeconds', -1),
  set('activeDeadlineSeconds', 2 ** 31),
  set('activeDeadlineSeconds', 1),
  set('hostname', 'A'),
  set('hostname', 'a'.repeat(64)),
  set('subdomain', 'a.b'),
  set('hostAliases', [{ ip: 'x' }]),
  set('hostAliases', [{ ip: '1.2.3.4', hostnames: ['a_b'] }]),
  set('hostAliases', [{ ip: '1.2.3.4' }, { ip: '1.2.3.4' }]),
  set('hostAliases', [{}]),
  set('priorityClassName', 'a_b'),
  set('priorityClassName', 'none'),
  set('priorityClassName', 'system-node-critical'),
  set('priority', 5),
  set('preemptionPolicy', 'Wrong'),
  set('preemptionPolicy', 'Never'),
  set('runtimeClassName', ''),
  set('runtimeClassName', 'none'),
  set('overhead', { cpu: '1' }),
  set('readinessGates', [{ conditionType: 'a b' }]),
  set('readinessGates', [{ conditionType: '' }]),
  set('schedulingGates', [{ name: 'a b' }]),
  set('schedulingGates', [{ name: 'a' }, { name: 'a' }]),
  set('schedulingGates', [{ name: 'a' }]),
  set('schedulingGates', [{ name: 'a' }], { 'spec.nodeName': 'n' }),
  set('hostnameOverride', 'A'),
  set('hostnameOverride', ''),
  set('hostnameOverride', 'a'.repeat(65)),
  set('hostnameOverride', 'a', { 'spec.setHostnameAsFQDN': true }),
  set('hostnameOverride', 'a', { 'spec.hostNetwork': true }),
  set('imagePullSecrets', [{ name: 'a' }, { name: 'a' }, {}]),
  set('terminationGracePeriodSeconds', -1),
  set('terminationGracePeriodSeconds', 0),
  set('schedulingGroup', { podGroupName: 'x' }),
  claims({}),
  claims({ name: 'A', resourceClaimName: 'x' }),
  claims({ name: 'a' }),
  claims({ name: 'a', resourceClaimName: 'x', resourceClaimTemplateName: 'y' }),
  claims({ name: 'a', resourceClaimName: 'X' }),
  claims({ name: 'a', resourceClaimTemplateName: 'X_' }),
  claims({ name: 'a', resourceClaimName: 'x' }, { name: 'a', resourceClaimName: 'y' }),
  whole({ limits: { cpu: '1' } }),
  whole({ limits: { cpu: '2' } }, { requests: { cpu: '1', memory: '1Gi' } }),
  whole({ requests: { cpu: '1' } }, { requests: { cpu: '2' } }),
  whole({ limits: { cpu: '1' } }, { limits: { cpu: '2' } }),
  whole({ limits: { cpu: '1' } }, { requests: { cpu: '500m' }, limits: { cpu: '2' } }),
  whole({ limits: { 'ephemeral-storage': '1' } }),
  whole({ limits: { wrong: '1' } }),
  whole({ limits: { 'example.com/gpu': '1' } }),
  whole({ limits: { cpu: '1', 'hugepages-2Mi': '2Mi' } }, { limits: { 'hugepages-2Mi': '4Mi' } }),
  whole({ limits: { cpu: '1' } }, { limits: { 'hugepages-2Mi': '4Mi', cpu: '1' } }),
  whole({ claims: [{ name: 'c' }] }),
  whole({ requests: { cpu: '2' }, limits: { cpu: '1' } }),
  whole({ requests: { cpu: '3' } }, { requests: { cpu: '1' } }),
  {
    ...whole({ requests: { cpu: '2' } }, { requests: { cpu: '1' } }),
    'spec.initContainers': [
      { name: 's', image: 'i', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } },
      { name: 'j', image: 'i', resources: { requests: { cpu: '1500m' } } },
    ],
  },
];

const security: readonly Change[] = [
  context({ fsGroup: -1 }),
  context({ runAsUser: -1 }),
  context({ runAsGroup: 2 ** 31 }),
  context({ supplementalGroups: [1, -1] }),
  set('shareProcessNamespace', true, { 'spec.hostPID': true }),
  sysctl(''),
  sysctl('Upper'),
  sysctl('kernel.shm_rmid_forced'),
  sysctl('net/ipv4/conf/eno2.100/rp_filter', { 'spec.hostNetwork': true }),
  sysctl('net.core.x', { 'spec.hostNetwork': true }),
  sysctl('kernel.sem', { 'spec.hostIPC': true }),
  sysctl('fs.mqueue.x', { 'spec.hostIPC': true }),
  sysctl('kernel.other', { 'spec.hostIPC': true }),
  context({
    sysctls: [
      { name: 'a.b', value: '1' },
      { name: 'a.b', value: '1' },
    ],
  }),
  context({ fsGroupChangePolicy: 'Wrong' }),
  context({ fsGroupChangePolicy: 'OnRootMismatch' }),
  context({ seccompProfile: { type: 'Wrong' } }),
  context({ windowsOptions: { runAsUserName: '' } }),
  context({ appArmorProfile: { type: 'Wrong' } }),
  context({ supplementalGroupsPolicy: 'Wrong' }),
  context({ supplementalGroupsPolicy: 'Strict' }),
  context({ seLinuxChangePolicy: 'MountOption' }),
  context({ seLinuxChangePolicy: 'Recursive' }),
  set('os', {}),
  set('os', { name: 'Wrong' }),
  set('os', { name: 'linux' }, { 'spec.securityContext': hostProcess }),
  set('os', { name: 'linux' }, { [`${FIRST}.securityContext`]: { windowsOptions: {} } }),
  windows({}),
  ...[
    { appArmorProfile: { type: 'Unconfined' } },
    { seLinuxOptions: {} },
    { seccompProfile: { type: 'Unconfined' } },
    { fsGroup: 1 },
    { fsGroupChangePolicy: 'Always' },
    { sysctls: [{ name: 'a', value: 'b' }] },
    { runAsUser: 1 },
    { runAsGroup: 1 },
    { supplementalGroups: [1] },
    { supplementalGroupsPolicy: 'Merge' },
    { seLinuxChangePolicy: 'Recursive' },
  ].map((more) => windows({ 'spec.securityContext': more })),
  ...['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'].map((member) =>
    windows({ [`spec.${member}`]: true }),
  ),
  windows({ 'spec.hostPID': false }),
  ...[
    { appArmorProfile: { type: 'Unconfined' } },
    { seLinuxOptions: {} },
    { seccompProfile: { type: 'Unconfined' } },
    { capabilities: {} },
    { readOnlyRootFilesystem: true },
    { privileged: false },
    { allowPrivilegeEscalation: true },
    { procMount: 'Default' },
    { runAsUser: 1 },
    { runAsGroup: 1 },
  ].map((more) => windows({ [`${FIRST}.securityContext`]: more })),
  windows({ 'spec.resources': { limits: { cpu: '1' } } }),
  context(hostProcess),
  context(
    { windowsOptions: { hostProcess: true } },
    { [`${FIRST}.securityContext`]: { windowsOptions: { hostProcess: false } } },
  ),
  set('hostUsers', false, { 'spec.hostNetwork': true }),
  set('hostUsers', false, { 'spec.hostPID': true }),
  set('hostUsers', false, { 'spec.hostIPC': true }),
  set('hostUsers', false),
];

const SECCOMP = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_A = 'container.seccomp.security.alpha.kubernetes.io/a';
const ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const COST = 'controller.kubernetes.io/pod-deletion-cost';
const MIRROR = 'kubernetes.io/config.mirror';

const annotations: readonly Change[] = [
  annotated(MIRROR, 'x'),
  annotated(MIRROR, 'x', { 'spec.nodeName': 'n' }),
  annotated(MIRROR, 'x', {
    'spec.nodeName': 'n',
    ...claims({ name: 'a', resourceClaimName: 'b' }),
  }),
  ...['x', '1', '-1', '+1', '01', '0', '2147483648', '-2147483648', ''].map((cost) =>
    annotated(COST, cost),
  ),
  annotated(SECCOMP, 'x'),
  annotated(SECCOMP, 'localhost//x'),
  annotated(SECCOMP, 'unconfined'),
  annotated(SECCOMP, 'unconfined', context({ seccompProfile: { type: 'RuntimeDefault' } })),
  annotated(SECCOMP, 'runtime/default', context({ seccompProfile: { type: 'RuntimeDefault' } })),
  annotated(
    SECCOMP,
    'unconfined',
    context({ seccompProfile: { type: 'Localhost', localhostProfile: 'a' } }),
  ),
  annotated(
    SECCOMP,
    'localhost/b',
    context({ seccompProfile: { type: 'Localhost', localhostProfile: 'a' } }),
  ),
  annotated(SECCOMP_A, 'x'),
  annotated(SECCOMP_A, 'runtime/default'),
  annotated(SECCOMP_A, 'runtime/default', {
    [`${FIRST}.securityContext`]: { seccompProfile: { type: 'Unconfined' } },
  }),
  annotated(`${ARMOR}a`, 'x'),
  annotated(`${ARMOR}b`, 'unconfined'),
  annotated(`${ARMOR}a`, 'unconfined'),
  annotated(`${ARMOR}a`, 'localhost/'),
  annotated(`${ARMOR}a`, 'localhost/p'),
  annotated(
    `${ARMOR}a`,
    'runtime/default',
    context({ appArmorProfile: { type: 'RuntimeDefault' } }),
  ),
  annotated(`${ARMOR}a`, 'unconfined', context({ appArmorProfile: { type: 'RuntimeDefault' } })),
  annotated(`${ARMOR}a`, 'unconfined', {
    [`${FIRST}.securityContext`]: { appArmorProfile: { type: 'RuntimeDefault' } },
  }),
  annotated(`${ARMOR}a`, 'localhost/b', {
    [`${FIRST}.securityContext`]: { appArmorProfile: { type: 'Localhost', localhostProfile: 'a' } },
  }),
  annotated('scheduler.alpha.kubernetes.io/critical-pod', ''),
  annotated('scheduler.alpha.kubernetes.io/tolerations', '[{"key":"a b","operator":"Exists"}]'),
  annotated('security.alpha.kubernetes.io/sysctls', ''),
  { 'metadata.name': 'a.b' },
  { 'metadata.name': 'a'.repeat(64) },
];

const NAMES_DIFFER = {
  'create spec.runtimeClassName = ""': 'the real one looks for a class without a name and fails',
};
export const cases: readonly RuleCases[] = [
  {
    title: 'v1 Pod, placement',
    collection,
    base,
    creates: placement,
  },
  { title: 'v1 Pod, names and resources', differs: NAMES_DIFFER, collection, base, creates: names },
  {
    title: 'v1 Pod, security and annotations',
    collection,
    base,
    creates: [...security, ...annotations],
  },
  {
    title: 'v1 Pod, with a runtime class',
    collection,
    before: [
      {
        collection: '/apis/node.k8s.io/v1/runtimeclasses',
        object: {
          apiVersion: 'node.k8s.io/v1',
          kind: 'RuntimeClass',
          metadata: { name: '{ns}-class' },
          handler: 'h',
          overhead: { podFixed: { cpu: '1' } },
          scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'x', operator: 'Exists' }] },
        },
      },
    ],
    base: { ...base, spec: { ...base.spec, runtimeClassName: '{ns}-class' } },
    creates: [
      set('overhead', { cpu: '1' }),
      set('overhead', { cpu: '2' }),
      set('nodeSelector', { a: 'b', c: 'd' }),
      set('nodeSelector', { a: 'c' }),
      set('tolerations', [{ key: 'x', operator: 'Exists' }]),
    ],
  },
];
