import { get, post, type Draw } from '../draw.ts';
import {
  allKinds,
  collectionPath,
  configMaps,
  deployments,
  draftOf,
  jobs,
  leases,
  objectPath,
  pods,
  richKinds,
  secrets,
  services,
  serviceAccounts,
  statefulSets,
  withMember,
  type Draft,
  type Kind,
} from '../objects.ts';
import type { Step } from '../scenario.ts';

type Members = readonly (readonly [string, unknown])[];

const C = 'spec.containers.0';
const POD_OPTIONS: Members = [
  [`${C}.resources`, { requests: { cpu: '1000m', memory: '1024Mi' } }],
  [`${C}.resources`, { limits: { cpu: 2.5, memory: '100M' } }],
  [`${C}.resources`, { limits: { cpu: '2.0' }, requests: { cpu: '1500m' } }],
  [`${C}.ports`, [{ containerPort: 80 }]],
  [`${C}.ports`, [{ containerPort: 80, hostPort: 8080, name: 'http' }]],
  [`${C}.livenessProbe`, { httpGet: { port: 80 } }],
  [`${C}.readinessProbe`, { tcpSocket: { port: 'http' } }],
  [`${C}.startupProbe`, { exec: { command: ['true'] }, periodSeconds: 0 }],
  [`${C}.livenessProbe`, { grpc: { port: 90 } }],
  [`${C}.env`, [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }]],
  [`${C}.env`, [{ name: 'A' }, { name: 'B', value: '' }]],
  [`${C}.image`, 'app'],
  [`${C}.image`, 'registry.example/app@sha256:' + 'a'.repeat(64)],
  [`${C}.image`, 'app:latest'],
  [`${C}.lifecycle`, { preStop: { sleep: { seconds: 1 } } }],
  [`${C}.securityContext`, { privileged: false, runAsUser: 1000 }],
  ['spec.hostNetwork', true],
  ['spec.serviceAccountName', 'robot'],
  ['spec.serviceAccount', 'robot'],
  ['spec.volumes', [{ name: 'v' }]],
  ['spec.volumes', [{ name: 'v', secret: { secretName: 's' } }]],
  ['spec.volumes', [{ name: 'v', configMap: { name: 's', items: [{ key: 'a', path: 'b' }] } }]],
  ['spec.volumes', [{ name: 'v', hostPath: { path: '/x' } }]],
  [
    'spec.volumes',
    [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
  ],
  [
    'spec.volumes',
    [
      {
        name: 'v',
        downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] },
      },
    ],
  ],
  ['spec.initContainers', [{ name: 'init', image: 'busybox' }]],
  ['spec.initContainers', [{ name: 'side', image: 'busybox', restartPolicy: 'Always' }]],
  ['spec.tolerations', [{ operator: 'Exists' }]],
  [
    'spec.topologySpreadConstraints',
    [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  ],
  ['spec.securityContext', { fsGroup: 1 }],
  ['spec.priorityClassName', 'system-node-critical'],
  ['spec.nodeName', 'n1'],
  ['spec.hostUsers', false],
  ['spec.schedulingGates', [{ name: 'example.com/wait' }]],
  ['spec.terminationGracePeriodSeconds', 0],
  ['spec.activeDeadlineSeconds', 5],
  ['status', { phase: 'Running' }],
];
const SERVICE_OPTIONS: Members = [
  ['spec.clusterIP', 'None'],
  ['spec.type', 'NodePort'],
  ['spec.type', 'LoadBalancer'],
  ['spec', { type: 'ExternalName', externalName: 'example.com' }],
  [
    'spec.ports',
    [
      { port: 80, name: 'a' },
      { port: 81, name: 'b', protocol: 'UDP' },
    ],
  ],
  ['spec.ports', [{ port: 80, targetPort: 'http' }]],
  ['spec.sessionAffinity', 'ClientIP'],
  ['spec.externalTrafficPolicy', 'Local'],
  ['spec.internalTrafficPolicy', 'Local'],
  ['spec.ipFamilyPolicy', 'PreferDualStack'],
  ['spec.selector', undefined],
  ['spec.publishNotReadyAddresses', true],
  ['spec', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] }],
  ['spec', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] }],
  ['spec', { clusterIP: 'None' }],
];
const DEPLOYMENT_OPTIONS: Members = [
  ['spec.replicas', 0],
  ['spec.strategy', { type: 'Recreate' }],
  ['spec.strategy', { rollingUpdate: { maxSurge: 2 } }],
  [
    'spec.strategy',
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%', maxSurge: 0 } },
  ],
  ['spec.minReadySeconds', 5],
  ['spec.paused', true],
  ['spec.revisionHistoryLimit', 0],
  ['spec.progressDeadlineSeconds', 2147483647],
  ['spec.template.spec.containers.0.image', 'app'],
  ['spec.template.spec.containers.0.ports', [{ containerPort: 80 }]],
  ['spec.template.metadata.creationTimestamp', null],
  ['metadata.generation', 7],
  ['status', { replicas: 3 }],
];
const JOB_OPTIONS: Members = [
  ['spec.parallelism', 3],
  ['spec.completions', 2],
  ['spec.completionMode', 'Indexed'],
  ['spec.backoffLimit', 0],
  ['spec.suspend', true],
  ['spec.ttlSecondsAfterFinished', 60],
  ['spec.manualSelector', false],
  [
    'spec.podFailurePolicy',
    { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] },
  ],
  ['spec.activeDeadlineSeconds', 10],
];
const OTHER_OPTIONS: readonly (readonly [Kind, Members])[] = [
  [
    statefulSets,
    [
      ['spec.updateStrategy', { type: 'OnDelete' }],
      ['spec.podManagementPolicy', 'Parallel'],
      ['spec.persistentVolumeClaimRetentionPolicy', { whenDeleted: 'Delete' }],
      ['spec.ordinals', { start: 1 }],
      [
        'spec.volumeClaimTemplates',
        [
          {
            metadata: { name: 'd' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      ],
    ],
  ],
  [
    secrets,
    [
      ['type', 'example.com/own'],
      ['immutable', true],
      ['data', { a: 'YWJj', b: '' }],
      ['data', null],
      ['stringData', { a: '', b: 'ü' }],
    ],
  ],
  [
    configMaps,
    [
      ['data', {}],
      ['binaryData', { a: 'AAE=' }],
      ['immutable', false],
      ['metadata.finalizers', []],
      ['metadata.annotations', {}],
      ['metadata.labels', null],
      ['metadata.generateName', 'gen-'],
      ['metadata.deletionTimestamp', '2024-01-01T00:00:00Z'],
      ['metadata.uid', '00000000-1111-2222-3333-444444444444'],
      ['metadata.resourceVersion', ''],
      ['metadata.selfLink', '/x'],
      ['metadata.managedFields', [{ manager: 'me' }]],
      [
        'metadata.ownerReferences',
        [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '00000000-1' }],
      ],
      ['metadata.creationTimestamp', '2020-01-01T00:00:00Z'],
    ],
  ],
  [
    leases,
    [
      ['spec.renewTime', '2024-05-01T10:00:00.123456Z'],
      ['spec.acquireTime', '2024-05-01T12:00:00.000000+02:00'],
      ['spec', {}],
      ['spec.leaseTransitions', 0],
    ],
  ],
  [
    serviceAccounts,
    [
      ['automountServiceAccountToken', false],
      ['secrets', [{ name: 's' }]],
      ['imagePullSecrets', [{ name: 'p' }]],
    ],
  ],
];
const OPTIONS: readonly (readonly [Kind, Members])[] = [
  [pods, POD_OPTIONS],
  [services, SERVICE_OPTIONS],
  [deployments, DEPLOYMENT_OPTIONS],
  [jobs, JOB_OPTIONS],
  ...OTHER_OPTIONS,
];

function applied(draft: Draft, members: Members): Draft {
  return members.reduce((so, [path, value]) => withMember(so, path, value), draft);
}

/** Without a factor in common with the number of kinds, so that each has its turn. */
const STRIDE = 7;

/** Objects with some of their optional fields, as they come back. */
export function defaulting(draw: Draw, index: number): readonly Step[] {
  const steps: Step[] = [];
  for (const name of ['one', 'two', 'three', 'four']) {
    const [kind, members] = draw.chance(0.4) ? OPTIONS[0]! : draw.pick(OPTIONS);
    const chosen = draw.some(members, 1 + draw.below(3));
    const body = applied(draftOf(kind, name), chosen);
    steps.push(post(collectionPath(kind), body));
    if (draw.chance(0.2)) steps.push(get(objectPath(kind, name)));
  }
  const any = richKinds[index % richKinds.length]!;
  const rare = allKinds[(index * STRIDE) % allKinds.length]!;
  return [
    ...steps,
    post(`${collectionPath(any)}?dryRun=All`, draftOf(any, 'five')),
    post(collectionPath(rare), draftOf(rare, 'six')),
  ];
}

const BAD_POD: Members = [
  [`${C}.name`, 'Main_1'],
  [`${C}.name`, undefined],
  [`${C}.image`, ''],
  [`${C}.image`, ' app'],
  [`${C}.ports`, [{ containerPort: 0 }]],
  [`${C}.ports`, [{ containerPort: 70000 }]],
  [`${C}.ports`, [{ containerPort: 80, protocol: 'tcp' }]],
  [
    `${C}.ports`,
    [
      { containerPort: 80, name: 'a' },
      { containerPort: 81, name: 'a' },
    ],
  ],
  [`${C}.resources`, { requests: { cpu: '2' }, limits: { cpu: '1' } }],
  [`${C}.resources`, { requests: { cpu: '-1' } }],
  [`${C}.resources`, { requests: { cpu: 'much' } }],
  [`${C}.resources`, { requests: { nonsense: '1' } }],
  [`${C}.volumeMounts`, [{ name: 'none', mountPath: '/x' }]],
  [`${C}.livenessProbe`, {}],
  [`${C}.livenessProbe`, { httpGet: { port: 0 } }],
  [`${C}.livenessProbe`, { httpGet: { port: 80 }, successThreshold: 2 }],
  [`${C}.imagePullPolicy`, 'Sometimes'],
  [`${C}.env`, [{ name: '' }]],
  [
    `${C}.env`,
    [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  ],
  [`${C}.env`, [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } }]],
  [`${C}.securityContext`, { runAsUser: -1 }],
  ['spec.containers', []],
  ['spec.containers', undefined],
  [
    'spec.containers',
    [
      { name: 'a', image: 'x' },
      { name: 'a', image: 'x' },
    ],
  ],
  ['spec', undefined],
  ['spec.restartPolicy', 'Sometimes'],
  ['spec.dnsPolicy', 'Mine'],
  ['spec.hostNetwork', 'true'],
  ['spec.volumes', [{ name: 'v', emptyDir: {}, secret: { secretName: 's' } }]],
  ['spec.volumes', [{ name: 'v' }, { name: 'v' }]],
  ['spec.volumes', [{ name: 'V' }]],
  ['spec.tolerations', [{ key: 'a', operator: 'Exists', value: 'x' }]],
  ['spec.tolerations', [{ key: 'a', effect: 'Never' }]],
  ['spec.terminationGracePeriodSeconds', -1],
  ['spec.activeDeadlineSeconds', 0],
  ['spec.hostAliases', [{ ip: 'x', hostnames: ['a'] }]],
  ['spec.nodeSelector', { 'bad key': 'x' }],
  [
    'spec.affinity',
    { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
  ],
  ['spec.topologySpreadConstraints', [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'X' }]],
  ['spec.serviceAccountName', 'Not Valid'],
  ['spec.hostname', 'Not.Valid'],
  ['spec.initContainers', [{ name: 'main', image: 'x' }]],
  ['spec.priority', 5],
  ['spec.ephemeralContainers', [{ name: 'e', image: 'x' }]],
];
const BAD_META: Members = [
  ['metadata.name', 'Bad_Name'],
  ['metadata.name', 'a'.repeat(300)],
  ['metadata.name', undefined],
  ['metadata.name', ''],
  ['metadata.name', 5],
  ['metadata.namespace', 'elsewhere'],
  ['metadata.labels', { 'bad key': 'x' }],
  ['metadata.labels', { a: 'bad value!' }],
  ['metadata.labels', { a: 1 }],
  ['metadata.labels', ['a']],
  ['metadata.annotations', { 'Bad//': 'x' }],
  ['metadata.finalizers', ['nodomain']],
  ['metadata.finalizers', ['bad domain/x']],
  ['metadata.ownerReferences', [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }]],
  ['metadata.ownerReferences', [{ kind: '', name: '', uid: '' }]],
  ['metadata.creationTimestamp', 'yesterday'],
  ['metadata.resourceVersion', '5'],
  ['metadata.generateName', 'Bad_'],
  ['metadata', undefined],
  ['metadata', null],
  ['kind', 'Other'],
  ['apiVersion', 'v9'],
  ['surplus', 1],
  ['metadata.surplus', 1],
];
const BAD_SERVICE: Members = [
  ['spec.ports', []],
  ['spec.ports', [{ port: 0 }]],
  ['spec.ports', [{ port: 80 }, { port: 81 }]],
  [
    'spec.ports',
    [
      { port: 80, name: 'a' },
      { port: 80, name: 'b' },
    ],
  ],
  ['spec.ports', [{ port: 80, targetPort: {} }]],
  ['spec.ports', [{ port: 80, targetPort: 'not_valid!' }]],
  ['spec.ports', [{ port: 80, nodePort: 30080 }]],
  ['spec.type', 'Other'],
  ['spec.clusterIP', '1.2.3'],
  ['spec.sessionAffinity', 'Other'],
  ['spec.externalIPs', ['x']],
  ['spec.selector', { 'bad key': 'x' }],
  ['spec.internalTrafficPolicy', 'Other'],
  ['spec', { type: 'ExternalName' }],
  ['spec', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }],
  ['spec.ipFamilies', ['IPv5']],
];
const BAD_WORKLOAD: Members = [
  ['spec.replicas', -1],
  ['spec.replicas', 3_000_000_000],
  ['spec.replicas', 'two'],
  ['spec.replicas', 1.5],
  ['spec.selector', undefined],
  ['spec.selector', {}],
  ['spec.selector.matchLabels', { app: 'other' }],
  ['spec.selector', { matchExpressions: [{ key: 'app', operator: 'Near' }] }],
  ['spec.template', undefined],
  ['spec.template.spec.restartPolicy', 'Never'],
  ['spec.template.spec.containers.0.image', ''],
  ['spec.strategy', { type: 'Other' }],
  ['spec.strategy', { type: 'Recreate', rollingUpdate: { maxSurge: 1 } }],
  ['spec.strategy', { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } }],
  ['spec.strategy', { rollingUpdate: { maxSurge: 'x%' } }],
  ['spec.minReadySeconds', -1],
  ['spec.progressDeadlineSeconds', 0],
  ['spec.revisionHistoryLimit', -1],
];
const BAD_SECRET: Members = [
  ['type', 'kubernetes.io/tls'],
  ['type', 'kubernetes.io/dockerconfigjson'],
  ['type', 'kubernetes.io/basic-auth'],
  ['type', 'kubernetes.io/service-account-token'],
  ['data', { a: 'not base64!' }],
  ['data', { 'bad key': 'YQ==' }],
  ['stringData', { a: 1 }],
  ['immutable', 'yes'],
];
const BAD: readonly (readonly [Kind, Members])[] = [
  [pods, BAD_POD],
  [pods, BAD_POD],
  [configMaps, BAD_META],
  [pods, BAD_META],
  [deployments, [...BAD_META, ...BAD_WORKLOAD]],
  [deployments, BAD_WORKLOAD],
  [statefulSets, BAD_WORKLOAD],
  [services, BAD_SERVICE],
  [secrets, BAD_SECRET],
  [
    jobs,
    [
      ['spec.parallelism', -1],
      ['spec.completions', -1],
      ['spec.backoffLimit', -1],
      ['spec.completionMode', 'Other'],
      ['spec.template.spec.restartPolicy', 'Always'],
      ['spec.selector', { matchLabels: { a: 'b' } }],
      ['spec.template.spec.containers', []],
    ],
  ],
  [
    leases,
    [
      ['spec.leaseDurationSeconds', 0],
      ['spec.leaseTransitions', -1],
      ['spec.renewTime', '2024-05-01T10:00:00Z'],
      ['spec.renewTime', '2024-05-01T10:00:00.123Z'],
      ['spec.holderIdentity', 5],
      ['spec.strategy', 'x'],
    ],
  ],
];

/** Values that a field seldom has, for any field. */
const WRONG: readonly unknown[] = [
  null,
  '',
  'Not Valid!',
  -1,
  0,
  true,
  [],
  {},
  ['x'],
  'x'.repeat(260),
  99_999_999,
];

const KINDS_WITH_FIELDS: readonly Kind[] = allKinds.filter(
  (kind) => Object.keys(kind.make('any')).length > 3,
);

/** Puts a wrong value at a drawn place below a kind's own fields. */
function broken(draw: Draw, draft: Draft): Draft {
  const paths: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (path !== '') paths.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      walk(member, path === '' ? name : `${path}.${name}`);
    }
  };
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = draft;
  walk(rest, '');
  return withMember(draft, draw.pick(paths), draw.chance(0.2) ? undefined : draw.pick(WRONG));
}

/** Objects with something wrong in them, and the answers that say what. */
export function validation(draw: Draw): readonly Step[] {
  const strictness = (): string =>
    draw.pick([
      '',
      '',
      '',
      '?fieldValidation=Strict',
      '?fieldValidation=Warn',
      '?fieldValidation=Ignore',
      '?dryRun=All',
      '?fieldManager=me',
    ]);
  const known = (name: string): Step => {
    const [kind, members] = draw.pick(BAD);
    const body = applied(draftOf(kind, name), draw.some(members, draw.chance(0.3) ? 2 : 1));
    return post(`${collectionPath(kind)}${strictness()}`, body);
  };
  const drawn = (name: string): Step => {
    const kind = draw.chance(0.5) ? draw.pick(richKinds) : draw.pick(KINDS_WITH_FIELDS);
    return post(`${collectionPath(kind)}${strictness()}`, broken(draw, draftOf(kind, name)));
  };
  return [known('one'), known('two'), known('three'), known('four'), drawn('five'), drawn('six')];
}
