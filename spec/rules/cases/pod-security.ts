import type { Change } from '../change.ts';
import type { Existing, RuleCases } from '../rule-cases.ts';

// The security standards of namespaces: `pod-security.kubernetes.io/…`.

type Json = Readonly<Record<string, unknown>>;

const collection = '/api/v1/namespaces/{ns}-s/pods';
const A = 'spec.containers[0]';
const SECURITY = `${A}.securityContext`;
const POD = 'spec.securityContext';

/** The labels of modes and versions, such as `{ enforce: 'baseline', 'enforce-version': 'v1.20' }`. */
function labelsOf(modes: Json): Json {
  const named = Object.entries(modes).map(([mode, value]) => [
    `pod-security.kubernetes.io/${mode}`,
    value,
  ]);
  return Object.fromEntries(named) as Json;
}

function namespace(modes: Json, name: string = '{ns}-s'): Json {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: labelsOf(modes) } };
}

function labelled(modes: Json): readonly Existing[] {
  return [{ collection: '/api/v1/namespaces', object: namespace(modes) }];
}

const hardened = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

function container(name: string, more: object = {}): Json {
  return { name, image: 'i', ...more };
}

function pod(spec: object, metadata: object = {}): Json {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'base', ...metadata }, spec };
}

const plain = pod({ containers: [container('a')] });
const strict = pod({ containers: [container('a', { securityContext: hardened })] });
/** Breaks rules of both standards. */
const loose = pod({
  hostPID: true,
  containers: [
    container('a', { securityContext: { capabilities: { add: ['SYS_TIME'] } } }),
    container('b'),
  ],
});

const probe = (host: string): Json => ({ httpGet: { host, port: 80 } });

/** The rules of the standard "baseline", one after the other. */
const BASELINE: readonly Change[] = [
  { 'metadata.annotations["container.apparmor.security.beta.kubernetes.io/a"]': 'unconfined' },
  { [`${SECURITY}.appArmorProfile`]: { type: 'Unconfined' } },
  { [`${POD}.appArmorProfile`]: { type: 'Unconfined' } },
  { [`${POD}.appArmorProfile`]: { type: 'RuntimeDefault' } },
  { [`${SECURITY}.appArmorProfile`]: { type: 'Localhost', localhostProfile: 'p' } },
  { [`${SECURITY}.capabilities.add`]: ['SYS_ADMIN', 'NET_RAW', 'CHOWN'] },
  { [`${SECURITY}.capabilities.add`]: ['CHOWN', 'NET_BIND_SERVICE'] },
  { 'spec.hostPID': true, 'spec.hostIPC': true },
  { 'spec.hostNetwork': true, [`${A}.ports`]: [{ containerPort: 8080 }] },
  { 'spec.volumes': [{ name: 'v', hostPath: { path: '/v' } }] },
  {
    'spec.volumes': [
      { name: 'v', hostPath: { path: '/v' } },
      { name: 'w', hostPath: { path: '/w' } },
      { name: 'e', emptyDir: {} },
    ],
  },
  { [`${A}.ports`]: [{ containerPort: 80, hostPort: 8080 }] },
  {
    [`${A}.ports`]: [
      { containerPort: 80, hostPort: 9090 },
      { containerPort: 81, hostPort: 10_000 },
    ],
    'spec.containers[1]': container('b', { ports: [{ containerPort: 80, hostPort: 8080 }] }),
  },
  { [`${A}.livenessProbe`]: probe('example.com') },
  {
    [`${A}.readinessProbe`]: { tcpSocket: { host: '10.1.2.3', port: 80 } },
    [`${A}.lifecycle.preStop`]: probe('b.example'),
    'spec.containers[1]': container('0', { startupProbe: probe('a.example') }),
  },
  { [`${A}.livenessProbe`]: { httpGet: { port: 80 } } },
  { [`${SECURITY}.procMount`]: 'Unmasked', 'spec.hostUsers': false },
  { [`${SECURITY}.procMount`]: 'Default' },
  { [`${SECURITY}.seLinuxOptions`]: { type: 'spc_t' } },
  { [`${SECURITY}.seLinuxOptions`]: { type: 'container_engine_t', level: 's0' } },
  { [`${POD}.seLinuxOptions`]: { user: 'u', role: 'r' } },
  {
    [`${POD}.seLinuxOptions`]: { type: 'b_t' },
    [`${SECURITY}.seLinuxOptions`]: { type: 'a_t', role: 'r' },
  },
  { [`${SECURITY}.seccompProfile`]: { type: 'Unconfined' } },
  { [`${POD}.seccompProfile`]: { type: 'Unconfined' } },
  { [`${POD}.seccompProfile`]: { type: 'Localhost', localhostProfile: 'p.json' } },
  { [`${POD}.sysctls`]: [{ name: 'kernel.msgmax', value: '1' }] },
  {
    [`${POD}.sysctls`]: [
      { name: 'net.ipv4.tcp_notsent_lowat', value: '1' },
      { name: 'net.ipv4.tcp_rmem', value: '1' },
      { name: 'net.core.somaxconn', value: '1' },
      { name: 'fs.mqueue.msg_max', value: '1' },
    ],
  },
];

/** The rules that "restricted" has besides. */
const RESTRICTED: readonly Change[] = [
  { 'metadata.name': 'two' },
  { [SECURITY]: undefined },
  { [SECURITY]: {} },
  { [`${SECURITY}.allowPrivilegeEscalation`]: undefined },
  { [`${SECURITY}.allowPrivilegeEscalation`]: true },
  { [`${SECURITY}.capabilities`]: undefined },
  { [`${SECURITY}.capabilities`]: { drop: ['NET_RAW'] } },
  { [`${SECURITY}.capabilities.drop`]: ['all'] },
  { [`${SECURITY}.capabilities.add`]: ['NET_BIND_SERVICE'] },
  { [`${SECURITY}.capabilities`]: { add: ['CHOWN', 'SYS_TIME'] } },
  { [`${SECURITY}.runAsNonRoot`]: undefined },
  { [`${SECURITY}.runAsNonRoot`]: undefined, [`${POD}.runAsNonRoot`]: true },
  { [`${SECURITY}.runAsNonRoot`]: undefined, [`${POD}.runAsNonRoot`]: false },
  { [`${SECURITY}.runAsNonRoot`]: false, [`${POD}.runAsNonRoot`]: true },
  { [`${POD}.runAsNonRoot`]: false },
  { [`${SECURITY}.runAsNonRoot`]: false, 'spec.hostUsers': false },
  { [`${SECURITY}.runAsUser`]: 0 },
  { [`${POD}.runAsUser`]: 0 },
  { [`${POD}.runAsUser`]: 0, [`${SECURITY}.runAsUser`]: 1000 },
  { [`${SECURITY}.runAsUser`]: 0, 'spec.hostUsers': false },
  { [`${SECURITY}.seccompProfile`]: undefined },
  {
    [`${SECURITY}.seccompProfile`]: undefined,
    [`${POD}.seccompProfile`]: { type: 'RuntimeDefault' },
  },
  { [`${POD}.seccompProfile`]: { type: 'Unconfined' } },
  {
    'spec.volumes': [
      { name: 'c', configMap: { name: 'c' } },
      { name: 'p', projected: { sources: [] } },
      { name: 'n', nfs: { server: 's', path: '/p' } },
    ],
  },
  {
    'spec.volumes': [
      { name: 'h', hostPath: { path: '/h' } },
      { name: 'i', iscsi: { targetPortal: 't', iqn: 'iqn.2000-01.a:b', lun: 0 } },
      { name: 'j', gcePersistentDisk: { pdName: 'd' } },
    ],
  },
  {
    'spec.initContainers': [container('i')],
    'spec.containers[1]': container('b', { securityContext: hardened }),
    'spec.containers[2]': container('c'),
  },
  {
    'spec.os': { name: 'windows' },
    [SECURITY]: { runAsNonRoot: true },
  },
  { 'spec.os': { name: 'windows' }, [SECURITY]: undefined },
  { 'spec.os': { name: 'linux' }, [SECURITY]: { runAsNonRoot: true } },
];

/** Pods whose verdicts changed from version to version. */
const BY_VERSION: readonly Change[] = [
  { [SECURITY]: undefined },
  {
    [SECURITY]: undefined,
    'metadata.annotations["seccomp.security.alpha.kubernetes.io/pod"]': 'unconfined',
    'metadata.annotations["container.seccomp.security.alpha.kubernetes.io/a"]': 'unconfined',
    'metadata.annotations["container.seccomp.security.alpha.kubernetes.io/b"]': 'unconfined',
    'metadata.annotations["container.seccomp.security.alpha.kubernetes.io/c"]': 'docker/default',
  },
  { [SECURITY]: { capabilities: { add: ['NET_ADMIN'] } }, 'spec.os': { name: 'linux' } },
  { 'spec.os': { name: 'windows' }, [SECURITY]: { runAsNonRoot: true } },
  {
    'spec.hostUsers': false,
    [SECURITY]: { ...hardened, runAsNonRoot: undefined, runAsUser: 0, procMount: 'Unmasked' },
  },
  { [`${A}.livenessProbe`]: probe('example.com') },
  { [`${SECURITY}.seLinuxOptions`]: { type: 'container_engine_t' } },
  {
    [`${POD}.sysctls`]: [
      { name: 'net.ipv4.tcp_syncookies', value: '1' },
      { name: 'net.ipv4.ip_local_reserved_ports', value: '1' },
      { name: 'net.ipv4.tcp_keepalive_time', value: '1' },
      { name: 'net.ipv4.tcp_wmem', value: '1' },
      { name: 'net.ipv4.tcp_slow_start_after_idle', value: '1' },
    ],
  },
];

const VERSIONS = ['v1.0', 'v1.8', 'v1.18', 'v1.19', 'v1.22', 'v1.24', 'v1.28', 'v1.34', 'v1.99'];

const versioned = VERSIONS.map(
  (version): RuleCases => ({
    title: `v1 Pod, pod security of ${version}`,
    collection,
    before: labelled({
      enforce: 'restricted',
      'enforce-version': version,
      warn: 'baseline',
      'warn-version': version,
    }),
    base: strict,
    creates: BY_VERSION,
  }),
);

/** A pod that breaks both standards, in namespaces with these labels. */
const MODES: readonly Json[] = [
  { enforce: 'privileged' },
  { enforce: 'baseline', 'enforce-version': 'v1.20' },
  { enforce: 'baseline', warn: 'privileged' },
  { enforce: 'baseline', warn: 'restricted', 'warn-version': 'v1.21' },
  { enforce: 'baseline', 'enforce-version': 'v1.20', 'warn-version': 'v1.0' },
  { warn: 'restricted' },
  { warn: 'baseline', audit: 'restricted' },
  { audit: 'baseline' },
  { 'enforce-version': 'v1.3', 'warn-version': 'v1.0' },
];

const modes = MODES.map(
  (labels): RuleCases => ({
    title: `v1 Pod, pod security with ${Object.entries(labels).flat().join(' ')}`,
    collection,
    before: labelled(labels),
    base: pod({ containers: [container('a', { securityContext: hardened })] }),
    creates: [
      { spec: loose['spec'] },
      { spec: plain['spec'] },
      { spec: plain['spec'], 'metadata.labels': { 'pod-security.kubernetes.io/enforce': 'x' } },
    ],
  }),
);

const updated: RuleCases = {
  title: 'v1 Pod, pod security of an update',
  collection,
  before: labelled({ enforce: 'baseline', warn: 'restricted' }),
  base: pod({ initContainers: [container('i')], containers: [container('a')] }),
  updates: [
    { 'metadata.labels': { a: 'b' } },
    { 'spec.activeDeadlineSeconds': 100 },
    { [`${A}.image`]: 'j' },
    { 'spec.initContainers[0].image': 'j' },
    { 'metadata.annotations': { a: 'b' } },
  ],
  subresource: 'ephemeralcontainers',
  statuses: [
    { 'spec.ephemeralContainers': [container('e')] },
    { 'spec.ephemeralContainers': [container('e', { securityContext: hardened })] },
    {
      'spec.ephemeralContainers': [
        container('e', { securityContext: { capabilities: { add: ['SYS_TIME'] } } }),
      ],
    },
    { 'metadata.labels': { a: 'b' } },
  ],
};

const resized: RuleCases = {
  title: 'v1 Pod, pod security of a resize',
  collection,
  before: labelled({ warn: 'restricted' }),
  base: pod({ containers: [container('a', { resources: { requests: { cpu: '1' } } })] }),
  subresource: 'resize',
  statuses: [{ [`${A}.resources.requests`]: { cpu: '2' } }],
};

const statusOfPod: RuleCases = {
  title: 'v1 Pod, pod security of a status',
  collection,
  before: labelled({ warn: 'restricted' }),
  base: plain,
  statuses: [{ 'status.message': 'm' }],
};

/** A real server needs `--allow-privileged` for them, which clusters have. */
const privileged: RuleCases = {
  title: 'v1 Pod, pod security of privileged containers',
  collection,
  before: labelled({ enforce: 'baseline' }),
  base: plain,
  creates: [
    { [`${SECURITY}.privileged`]: false },
    { [`${SECURITY}.privileged`]: true, [`${SECURITY}.allowPrivilegeEscalation`]: true },
    {
      'spec.initContainers': [container('i', { securityContext: { privileged: true } })],
      'spec.containers[1]': container('b', { securityContext: { privileged: true } }),
    },
    {
      [`${POD}.windowsOptions`]: { hostProcess: true },
      'spec.hostNetwork': true,
      [`${SECURITY}.windowsOptions`]: { hostProcess: true },
    },
  ],
  subresource: 'ephemeralcontainers',
  statuses: [
    { 'spec.ephemeralContainers': [container('e', { securityContext: { privileged: true } })] },
  ],
};

const selected = { matchLabels: { a: 'b' } };
const template = { metadata: { labels: { a: 'b' } }, spec: loose['spec'] };
const once = { ...template, spec: { ...(loose['spec'] as object), restartPolicy: 'Never' } };

const TEMPLATES: readonly (readonly [
  path: string,
  plural: string,
  kind: string,
  content: object,
])[] = [
  ['api/v1', 'podtemplates', 'PodTemplate', { template }],
  ['api/v1', 'replicationcontrollers', 'ReplicationController', { spec: { template } }],
  ['apis/apps/v1', 'replicasets', 'ReplicaSet', { spec: { selector: selected, template } }],
  ['apis/apps/v1', 'deployments', 'Deployment', { spec: { selector: selected, template } }],
  ['apis/apps/v1', 'daemonsets', 'DaemonSet', { spec: { selector: selected, template } }],
  [
    'apis/apps/v1',
    'statefulsets',
    'StatefulSet',
    {
      spec: {
        selector: selected,
        serviceName: 's',
        updateStrategy: { type: 'OnDelete' },
        template,
      },
    },
  ],
  ['apis/batch/v1', 'jobs', 'Job', { spec: { template: once } }],
  [
    'apis/batch/v1',
    'cronjobs',
    'CronJob',
    { spec: { schedule: '0 0 * * *', jobTemplate: { spec: { template: once } } } },
  ],
];

const templates = TEMPLATES.map(([path, plural, kind, content]): RuleCases => {
  const at = plural === 'podtemplates' ? 'template' : 'spec.template';
  const holder = plural === 'cronjobs' ? 'spec.jobTemplate.spec.template' : at;
  return {
    title: `${path.replace(/^apis?\//, '')} ${kind}, pod security of its template`,
    collection: `/${path}/namespaces/{ns}-s/${plural}`,
    before: labelled({ enforce: 'restricted', warn: 'baseline', 'warn-version': 'v1.30' }),
    base: {
      apiVersion: path.replace(/^apis?\//, ''),
      kind,
      metadata: { name: 'base' },
      ...content,
    },
    creates: [
      { [`${holder}.spec.hostPID`]: false, [`${holder}.spec.containers[0].securityContext`]: {} },
    ],
    updates: [{ 'metadata.labels': { c: 'd' } }],
  };
});

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'base' },
  spec: { selector: selected, template },
};
const deployments = '/apis/apps/v1/namespaces/{ns}-s/deployments';

const scaled: RuleCases = {
  title: 'apps/v1 Deployment, pod security of a scale',
  collection: deployments,
  before: labelled({ enforce: 'restricted', warn: 'privileged' }),
  base: deployment,
  subresource: 'scale',
  statuses: [{ 'spec.replicas': 2 }],
};

/** Without a level of its own, the warning has that of the refusal. */
const raised = [
  { enforce: 'restricted' },
  { enforce: 'restricted', 'enforce-version': 'v1.20' },
  { enforce: 'restricted', 'enforce-version': 'v1.20', 'warn-version': 'v1.7' },
  { 'enforce-version': 'v1.20' },
].map(
  (labels): RuleCases => ({
    title: `apps/v1 Deployment, pod security with ${Object.entries(labels).flat().join(' ')}`,
    collection: deployments,
    before: labelled(labels),
    base: deployment,
    updates: [{ 'spec.template.spec.hostPID': false }],
  }),
);

const owned = (name: string, uid: string): object => ({
  name,
  ownerReferences: [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid, controller: true },
  ],
});
const existing = (name: string, spec: unknown, metadata: object = {}): Existing => ({
  collection: '/api/v1/namespaces/{ns}-n/pods',
  object: pod(spec as object, { name, ...metadata }),
});
const level = (mode: string): string => `metadata.labels["pod-security.kubernetes.io/${mode}"]`;

/** In a list of pods, those of the same faults are one line. */
const tightened: RuleCases = {
  title: 'v1 Namespace, pod security',
  collection: '/api/v1/namespaces',
  base: {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: '{ns}-n', labels: { ...labelsOf({ enforce: 'privileged' }), a: 'b' } },
  },
  beside: [
    existing('plain', plain['spec']),
    existing('strict', strict['spec']),
    existing('loose-b', loose['spec'], owned('loose-b', 'u1')),
    existing('loose-a', loose['spec'], owned('loose-a', 'u1')),
    existing('loose-c', loose['spec'], owned('loose-c', 'u2')),
    existing('host', { ...(plain['spec'] as object), hostIPC: true }),
    existing('port', {
      containers: [container('a', { ports: [{ containerPort: 1, hostPort: 1 }] })],
    }),
    existing('port-2', {
      containers: [container('b', { ports: [{ containerPort: 1, hostPort: 2 }] })],
    }),
    // It is the last one that the server hears of, and the list has it alone.
    existing('last', { ...(strict['spec'] as object), hostPID: true }),
  ],
  creates: [
    { [level('enforce')]: 'Restricted' },
    { [level('enforce')]: '' },
    { [level('enforce-version')]: '1.20' },
    { [level('enforce-version')]: 'v1.01' },
    { [level('enforce-version')]: 'v1.99999999999999999999' },
    { [level('enforce-version')]: 'v2.0' },
    { [level('warn')]: 'strict', [level('warn-version')]: 'new' },
    {
      [level('audit')]: 'x',
      [level('audit-version')]: 'y',
      [level('enforce')]: 'z',
      [level('warn-version')]: 'w',
    },
    { [level('other')]: 'x' },
    { [level('enforce')]: 'restricted', [level('enforce-version')]: 'v1.99' },
  ],
  updates: [
    { 'metadata.labels': { a: 'c' } },
    { [level('enforce')]: 'Baseline' },
    { [level('warn-version')]: 'x', [level('audit')]: 'y' },
    { [level('warn')]: 'restricted', [level('audit')]: 'restricted' },
    { [level('enforce')]: 'baseline' },
    { [level('enforce')]: 'baseline', [level('enforce-version')]: 'v1.0' },
    { [level('enforce')]: 'restricted' },
    { [level('enforce')]: 'restricted', [level('enforce-version')]: 'v1.7' },
    { [level('enforce-version')]: 'v1.7' },
    { 'metadata.labels': labelsOf({ enforce: 'restricted', warn: 'baseline' }) },
  ],
  statuses: [{ [level('enforce')]: 'x' }],
};

const labels = labelsOf({ enforce: 'baseline', 'enforce-version': 'v1.33' });

/** From a level to another one: only what is stricter is compared with existing pods. */
const changed: RuleCases = {
  title: 'v1 Namespace, pod security that changes',
  collection: '/api/v1/namespaces',
  base: {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: '{ns}-n', labels },
  },
  beside: [existing('plain', { containers: [container('a', { livenessProbe: probe('h') })] })],
  updates: [
    { [level('enforce')]: 'privileged' },
    { [level('enforce')]: undefined },
    { [level('enforce-version')]: undefined },
    { [level('enforce-version')]: 'latest' },
    { [level('enforce-version')]: 'v1.0' },
    { [level('enforce')]: 'privileged', [level('enforce-version')]: 'latest' },
    { [level('enforce')]: 'restricted' },
    { [level('enforce')]: 'restricted', [level('enforce-version')]: 'v1.0' },
  ],
};

export const cases: readonly RuleCases[] = [
  {
    title: 'v1 Pod, pod security of level baseline',
    collection,
    before: labelled({ enforce: 'baseline' }),
    base: plain,
    creates: BASELINE,
  },
  {
    title: 'v1 Pod, pod security of level restricted',
    collection,
    before: labelled({ enforce: 'restricted' }),
    base: strict,
    creates: [...RESTRICTED, ...BASELINE],
  },
  ...versioned,
  ...modes,
  privileged,
  updated,
  resized,
  statusOfPod,
  ...templates,
  scaled,
  ...raised,
  tightened,
  changed,
];
